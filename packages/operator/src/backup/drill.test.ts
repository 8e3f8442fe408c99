import assert from "node:assert/strict";
import { rfc3339 } from "@etcd-operator/kubernetes-client";
import {
  aBackupSeen,
  HOUR_MS,
  MINUTE_MS,
  NOW_MS,
  type SeenGiven,
  succeeded,
} from "@etcd-operator/testing/backup/an-etcd-backup.ts";
import { SimulatedBackup } from "@etcd-operator/testing/backup/simulated-backup.ts";
import { describe, test } from "vitest";
import { FINALIZER } from "./finalizer.ts";
import type { DrillOutcome, DrillSeen } from "./observation.ts";
import { plan } from "./plan.ts";
import { wishOf } from "./situation.ts";

const DAILY = { policy: { backupIntervalInSecond: 3600, drillSchedule: "0 12 * * *" } };
const NOON = "2030-01-15T12:00:00Z";
const passed = (endedAtMs: number): DrillOutcome => ({
  kind: "passed",
  endedAtMs,
  revision: 42,
  keys: 7,
  sizeBytes: 20_512,
  servedAtMs: endedAtMs - 5_000,
});

/** One backup is there, and nothing else is due before the drill. */
async function withBackup(given: object = DAILY): Promise<SimulatedBackup> {
  const backup = new SimulatedBackup(given);
  backup.settle();
  backup.end();
  return backup;
}

describe("a drill", () => {
  test("that waited for its turn is not said to have taken longer for it", async () => {
    const backup = await withBackup();
    await backup.advance(2 * HOUR_MS);
    backup.nowMs += 10 * MINUTE_MS;
    backup.endDrill({ ...passed(backup.nowMs), begunAtMs: backup.nowMs - 8_000 });
    const { durationSeconds, recoveryTimeSeconds } = backup.status.drill ?? {};
    assert.deepEqual([durationSeconds, recoveryTimeSeconds], [8, 3]);
  });

  test("is started at its time, for the newest backup, and reported", async () => {
    const backup = await withBackup({ policy: { drillSchedule: "0 12 * * *" } });
    assert.deepEqual(backup.status.drill, { nextRun: NOON });
    await backup.advance(2 * HOUR_MS - 1_000);
    assert.equal(backup.isDrilling, false);
    await backup.advance(1_000);
    assert.equal(backup.drill?.about.snapshot.path, "bucket/etcd/nightly");
    const under = { lastRun: NOON, nextRun: "2030-01-16T12:00:00Z", path: "bucket/etcd/nightly" };
    assert.deepEqual(backup.status.drill, under);
    backup.nowMs += 40_000;
    backup.endDrill(passed(backup.nowMs));
    assert.deepEqual(backup.status.drill, {
      ...under,
      succeeded: true,
      revision: 42,
      keys: 7,
      sizeBytes: 20_512,
      durationSeconds: 40,
      recoveryTimeSeconds: 35,
      recoveryPointSeconds: 2 * 3600 + 2,
    });
    assert.deepEqual(backup.events.slice(-2), ["DrillStarted", "DrillSucceeded"]);
    assert.equal(backup.status.succeeded, true);
  });

  test("that fails says why, and does not change what is said of the backup", async () => {
    const backup = await withBackup({ policy: { drillSchedule: "0 12 * * *" } });
    await backup.advance(2 * HOUR_MS);
    backup.endDrill({ kind: "failed", endedAtMs: backup.nowMs + 9_000, message: "it has 6 keys, but 7 were recorded" });
    const { succeeded: verdict, reason, durationSeconds, recoveryTimeSeconds } = backup.status.drill ?? {};
    assert.deepEqual([verdict, reason], [false, "it has 6 keys, but 7 were recorded"]);
    assert.deepEqual([durationSeconds, recoveryTimeSeconds, backup.status.succeeded], [9, undefined, true]);
    assert.equal(backup.events.at(-1), "DrillFailed");
    await backup.advance(20 * HOUR_MS);
    assert.equal(backup.isDrilling, false);
  });

  test("goes on beside a backup, which does not wait for it", async () => {
    const backup = await withBackup();
    await backup.advance(HOUR_MS);
    backup.end();
    await backup.advance(HOUR_MS);
    assert.deepEqual([backup.isRunning, backup.isDrilling], [true, true]);
    backup.end({ kind: "succeeded", snapshot: { ...succeeded().snapshot, path: "newer" } });
    assert.equal(backup.drill?.about.snapshot.path, "bucket/etcd/nightly");
    backup.endDrill(passed(backup.nowMs));
    assert.equal(backup.status.drill?.path, "bucket/etcd/nightly");
  });

  test("waits until there is a backup to prove, and then does not wait for its next time", async () => {
    const backup = new SimulatedBackup(DAILY);
    backup.settle();
    await backup.advance(3 * HOUR_MS);
    assert.equal(backup.isDrilling, false);
    backup.end();
    assert.equal(backup.drill?.about.slotMs, Date.parse(NOON));
  });

  test("that was missed while no operator ran is made up for, once", async () => {
    const backup = await withBackup({ policy: { drillSchedule: "0 12 * * *" } });
    backup.restart(75 * HOUR_MS);
    backup.settle();
    backup.endDrill(passed(backup.nowMs));
    assert.equal(backup.status.drill?.nextRun, "2030-01-19T12:00:00Z");
    backup.restart(1_000);
    backup.settle();
    assert.equal(backup.isDrilling, false);
  });

  test("that an operator was killed over is begun again by the next", async () => {
    const backup = await withBackup({ policy: { drillSchedule: "0 12 * * *" } });
    await backup.advance(2 * HOUR_MS);
    backup.restart(10 * MINUTE_MS);
    backup.settle();
    assert.equal(backup.drill?.about.slotMs, Date.parse(NOON));
    backup.endDrill(passed(backup.nowMs));
    assert.equal(backup.status.drill?.lastRun, NOON);
    assert.equal(backup.settle().kind, "hold");
  });

  test("during which an operator was killed leaves no pod when the spec asks for no drills any more", async () => {
    const backup = await withBackup({ policy: { drillSchedule: "0 12 * * *" } });
    await backup.advance(2 * HOUR_MS);
    backup.restart(10 * MINUTE_MS);
    assert.equal(backup.drillPods, 1);
    backup.edit({});
    backup.settle();
    assert.deepEqual([backup.drillPods, backup.isDrilling, backup.status.drill], [0, false, undefined]);
  });

  test("is not made of a backup that lies in another store, but of the first one in the new", async () => {
    const policy = { backupIntervalInSecond: 86_400, drillSchedule: "0 12 * * *" };
    const backup = await withBackup({ policy });
    backup.nowMs = Date.parse(NOON);
    backup.edit({ policy, spec: { s3: { path: "elsewhere/etcd" } } });
    backup.settle();
    assert.deepEqual([backup.isDrilling, backup.isRunning], [false, true]);
    backup.end({ kind: "succeeded", snapshot: { ...succeeded().snapshot, path: "elsewhere/etcd_v43" } });
    assert.equal(backup.drill?.about.snapshot.path, "elsewhere/etcd_v43");
  });

  test("that was interrupted is not begun again for a backup that lies in another store", async () => {
    const backup = await withBackup({ policy: { drillSchedule: "0 12 * * *" } });
    await backup.advance(2 * HOUR_MS);
    backup.restart(10 * MINUTE_MS);
    backup.edit({ policy: { drillSchedule: "0 12 * * *" }, spec: { s3: { path: "elsewhere/etcd" } } });
    backup.settle();
    assert.deepEqual([backup.isDrilling, backup.drillPods, backup.isRunning], [false, 0, true]);
  });

  test("takes up another schedule, and is over with the schedule", async () => {
    const backup = await withBackup({ policy: { drillSchedule: "0 12 * * *", timeZone: "UTC" } });
    backup.edit({ policy: { drillSchedule: "0 12 * * *", timeZone: "Asia/Tokyo" } });
    backup.settle();
    backup.end();
    assert.equal(backup.status.drill?.nextRun, "2030-01-16T03:00:00Z");
    backup.edit({ policy: { drillSchedule: "30 10 * * *" } });
    backup.settle();
    backup.end();
    await backup.advance(30 * MINUTE_MS);
    backup.endDrill(passed(backup.nowMs));
    backup.edit({});
    backup.settle();
    backup.end();
    assert.deepEqual([backup.status.drill?.succeeded, backup.status.drill?.nextRun], [true, undefined]);
    assert.equal(backup.settle().kind, "none");
  });
});

describe("a drill that is under way", () => {
  const drillOf = (given: SeenGiven): DrillSeen => {
    const { backup } = aBackupSeen(given);
    const about = { uid: "uid-1", request: wishOf(backup.spec), startedAtMs: NOW_MS, slotMs: NOW_MS };
    return { about: { ...about, snapshot: { path: "b/k" } }, state: { kind: "running", progress: undefined } };
  };
  const status = { observedGeneration: 1, lastRun: rfc3339(NOW_MS), nextRun: rfc3339(NOW_MS + HOUR_MS) };
  const usual = { ...DAILY, metadata: { finalizers: [FINALIZER] }, status };
  const planned = (given: SeenGiven) => plan(aBackupSeen(given)).kind;

  test.each<[string, SeenGiven]>([
    ["its object is deleted", { ...usual, metadata: { deletionTimestamp: rfc3339(NOW_MS), finalizers: [FINALIZER] } }],
    ["its object was recreated", { ...usual, metadata: { ...usual.metadata, uid: "uid-2" } }],
    ["backups go elsewhere", { ...usual, spec: { s3: { path: "b/other" } } }],
    ["no drills are wanted any more", { ...usual, policy: { backupIntervalInSecond: 3600 } }],
    ["the spec is not valid any more", { ...usual, spec: { storageType: "Tape" } }],
  ])("is cancelled when %s", (_, given) => {
    assert.equal(planned({ ...given, drill: drillOf(usual) }), "drop-drill");
  });

  test("is left alone otherwise", () => {
    assert.equal(planned({ ...usual, drill: drillOf(usual) }), "hold");
    const other = { ...usual, policy: { ...DAILY.policy, maxBackups: 3, drillSchedule: "0 13 * * *" } };
    assert.equal(planned({ ...other, drill: drillOf(usual) }), "hold");
  });
});

test("a backup that waits for nothing else is reconciled for the drill", () => {
  const status = { observedGeneration: 1, succeeded: true, lastBackup: { path: "b/k" }, drill: { nextRun: NOON } };
  const action = plan(aBackupSeen({ policy: { drillSchedule: "0 12 * * *" }, status }));
  assert.equal(action.kind === "hold" && action.recheckAfterMs, 2 * HOUR_MS);
});
