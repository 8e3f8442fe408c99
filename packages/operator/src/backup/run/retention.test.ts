import assert from "node:assert/strict";
import { HOUR_MS, NOW_MS } from "@etcd-operator/testing/backup/an-etcd-backup.ts";
import { describe, test } from "vitest";
import { randomOf } from "../../../../../test/model/random.ts";
import type { PeriodicBackup } from "./periodic-keys.ts";
import { outdatedBackups, type Retention, retentionOf } from "./retention.ts";

/** Backups as `revision`, `revision@hours ago` or `revision@hours ago/cluster`. */
function backups(...given: readonly string[]): PeriodicBackup[] {
  return given.map((key) => {
    const [what = "", clusterID = "c1"] = key.split("/");
    const [revision, hours = "0"] = what.split("@");
    return { clusterID, key, revision: Number(revision), takenAtMs: NOW_MS - Number(hours) * HOUR_MS };
  });
}

function removed(given: readonly PeriodicBackup[], retention: Partial<Retention>): string[] {
  return outdatedBackups(given, { maxBackups: 0, maxAgeMs: 0, ...retention }, NOW_MS).map(({ key }) => key);
}

describe("what need not be kept", () => {
  test.each<[string, readonly string[], Partial<Retention>, readonly string[]]>([
    ["is nothing when all are kept", ["1@9", "2@8"], {}, []],
    ["is nothing when there is nothing", [], { maxBackups: 1, maxAgeMs: 1 }, []],
    ["are the lowest revisions, as numbers", ["9@4", "10@3", "99@2", "100@1"], { maxBackups: 2 }, ["10@3", "9@4"]],
    ["are the older of one revision", ["7@3", "7@1", "7@2"], { maxBackups: 1 }, ["7@2", "7@3"]],
    ["are those beyond their age", ["1@30", "2@20", "3@5"], { maxAgeMs: 10 * HOUR_MS }, ["2@20", "1@30"]],
    ["is not the newest, however old", ["1@300", "2@200"], { maxAgeMs: HOUR_MS }, ["1@300"]],
    ["is not the only one", ["1@300"], { maxBackups: 1, maxAgeMs: HOUR_MS }, []],
    ["is what either limit says", ["1@30", "2@2", "3@1"], { maxBackups: 2, maxAgeMs: 24 * HOUR_MS }, ["1@30"]],
    [
      "is not the one taken last, though a restored cluster began at a lower revision again",
      ["500@3", "600@2", "20@0"],
      { maxBackups: 1 },
      ["500@3"],
    ],
    [
      "are those of a dead cluster as the living one gets its own, however high their revisions: the lowest first",
      ["5000@5/c0", "4000@6/c0", "3000@7/c0", "9@2", "10@1"],
      { maxBackups: 3 },
      ["4000@6/c0", "3000@7/c0"],
    ],
    [
      "is not the last one of a dead cluster, however many there are of the living one",
      ["5000@9/c0", "1@4", "2@3", "3@2", "4@1"],
      { maxBackups: 2 },
      ["2@3", "1@4"],
    ],
    ["is that one, too, beyond its age", ["5000@300/c0", "1@1"], { maxAgeMs: HOUR_MS * 24 }, ["5000@300/c0"]],
    [
      "are those of the longer dead cluster first",
      ["9000@30/c8", "20@10/c9", "10@11/c9", "1@0"],
      { maxBackups: 3 },
      ["9000@30/c8"],
    ],
  ])("%s", (_, given, retention, expected) => assert.deepEqual(removed(backups(...given), retention), expected));

  test("never is the newest by revision or by time, whatever the limits", () => {
    const random = randomOf(7);
    for (let round = 0; round < 500; round += 1) {
      const given = Array.from({ length: 1 + random.int(12) }, (_, index): PeriodicBackup => {
        return { key: String(index), revision: random.int(20), takenAtMs: NOW_MS - random.int(20) * HOUR_MS };
      });
      const limits = { maxBackups: random.int(4), maxAgeMs: random.int(3) * HOUR_MS };
      const gone = new Set(removed(given, limits));
      const kept = given.filter(({ key }) => !gone.has(key));
      const newest = (of: readonly PeriodicBackup[], by: "revision" | "takenAtMs") =>
        Math.max(...of.map((each) => each[by]));
      assert.equal(newest(kept, "revision"), newest(given, "revision"));
      assert.equal(newest(kept, "takenAtMs"), newest(given, "takenAtMs"));
    }
  });
});

test("limits are in the policy, and 0 or nothing is none", () => {
  assert.deepEqual(retentionOf({}), { maxBackups: 0, maxAgeMs: 0 });
  const backupPolicy = { maxBackups: 3, maxAgeInSecond: 60 };
  assert.deepEqual(retentionOf({ backupPolicy }), { maxBackups: 3, maxAgeMs: 60_000 });
});
