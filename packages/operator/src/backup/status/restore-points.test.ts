import assert from "node:assert/strict";
import { HOUR_MS } from "@etcd-operator/testing/backup/an-etcd-backup.ts";
import { SimulatedBackup } from "@etcd-operator/testing/backup/simulated-backup.ts";
import { describe, test } from "vitest";
import { MOST_POINTS } from "./restore-points.ts";

const HOURLY = { policy: { backupIntervalInSecond: 3600 } };
const pathOf = (run: number) => `bucket/etcd/nightly_v${run}`;

/** A backup that has been taken so often, hour by hour; after a run the ones of `removed` go. */
async function taken(runs: number, removed: (run: number) => readonly string[] = () => []): Promise<SimulatedBackup> {
  const backup = new SimulatedBackup(HOURLY);
  backup.settle();
  for (let run = 1; run <= runs; run += 1) {
    const snapshot = { path: pathOf(run), revision: run, sizeBytes: 1024 };
    backup.end({ kind: "succeeded", snapshot, pruning: { removed: removed(run) } });
    await backup.advance(HOUR_MS);
  }
  return backup;
}

function shown({ status: { restorePoints = [], restorePointsTotal } }: SimulatedBackup) {
  return { paths: restorePoints.map(({ path }) => path), total: restorePointsTotal };
}

describe("the list of what can be restored", () => {
  test("has the newest first, with path, revision, time and size, and counts the rest", async () => {
    const backup = await taken(MOST_POINTS + 5);
    const { paths, total } = shown(backup);
    assert.deepEqual([paths.length, paths[0], total], [MOST_POINTS, pathOf(MOST_POINTS + 5), MOST_POINTS + 5]);
    assert.deepEqual(backup.status.restorePoints?.[0], { path: pathOf(25), revision: 25, sizeBytes: 1024 });
  });

  test("loses what retention has removed", async () => {
    const backup = await taken(5, (run) => (run > 2 ? [pathOf(run - 2)] : []));
    assert.deepEqual(shown(backup), { paths: [pathOf(5), pathOf(4)], total: 2 });
  });

  test("names a backup that is taken again under the same path once", () => {
    const backup = new SimulatedBackup();
    backup.settle();
    backup.end();
    backup.edit({ policy: { timeoutInSecond: 60 } });
    backup.settle();
    backup.end();
    assert.deepEqual(shown(backup), { paths: ["bucket/etcd/nightly"], total: 1 });
  });

  test("is empty where the spec names another store", async () => {
    const backup = await taken(2);
    backup.edit({ ...HOURLY, spec: { s3: { path: "elsewhere/other" } } });
    backup.settle();
    assert.deepEqual(shown(backup), { paths: [], total: undefined });
  });

  test("keeps what it had when a run fails", async () => {
    const backup = await taken(2);
    backup.fail();
    assert.deepEqual(shown(backup), { paths: [pathOf(2), pathOf(1)], total: 2 });
  });
});
