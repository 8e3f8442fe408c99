import assert from "node:assert/strict";
import { conditionOf } from "@etcd-operator/kubernetes-client";
import { HOUR_MS } from "@etcd-operator/testing/backup/an-etcd-backup.ts";
import { SimulatedBackup } from "@etcd-operator/testing/backup/simulated-backup.ts";
import { describe, test } from "vitest";

const HOURLY = { policy: { backupIntervalInSecond: 3600 } };

function shown({ status }: SimulatedBackup, type: string): string {
  const { status: value, reason } = conditionOf(status.conditions, type) ?? {};
  return `${value} ${reason}`;
}

describe("a backup", () => {
  test("that is taken once ends a wait by its conditions: when it is done, has failed for good, or needs a person", () => {
    const ends = ({ status }: SimulatedBackup) =>
      (status.conditions ?? [])
        .filter(({ type, status: is }) => is === "True" && type !== "Succeeded" && type !== "Progressing")
        .map(({ type }) => type);
    const backup = new SimulatedBackup();
    backup.settle();
    assert.deepEqual(ends(backup), []);
    backup.fail();
    assert.deepEqual(ends(backup), [], "it is tried again");
    backup.edit({ spec: { s3: { path: "bucket/other" } } });
    backup.settle();
    backup.fail({ needsFix: true });
    assert.deepEqual(ends(backup), ["Failed", "Stalled"]);
    backup.edit({ spec: { s3: { path: "bucket/third" } } });
    backup.settle();
    assert.deepEqual(ends(backup), []);
    backup.end();
    assert.deepEqual(ends(backup), ["Complete", "Ready"]);
  });

  test("that is periodic is Complete while its newest run is verified, also while the next one runs, and Failed when a run failed", async () => {
    const backup = new SimulatedBackup(HOURLY);
    const ends = () => [shown(backup, "Complete"), shown(backup, "Failed")];
    backup.settle();
    assert.deepEqual(ends(), ["False Pending", "False Pending"]);
    backup.end();
    await backup.advance(HOUR_MS);
    assert.deepEqual([backup.isRunning, ...ends()], [true, "True Verified", "False Verified"]);
    backup.fail();
    assert.deepEqual(ends(), ["False AttemptFailed", "True AttemptFailed"]);
  });
});
