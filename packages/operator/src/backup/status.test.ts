import assert from "node:assert/strict";
import { conditionOf, rfc3339 } from "@etcd-operator/kubernetes-client";
import { aBackupSeen, aRun, HOUR_MS, MINUTE_MS, NOW_MS } from "@etcd-operator/testing/backup/an-etcd-backup.ts";
import { SimulatedBackup } from "@etcd-operator/testing/backup/simulated-backup.ts";
import { describe, test } from "vitest";
import { FINALIZER } from "./finalizer.ts";
import type { RunSeen } from "./observation.ts";
import { plan } from "./plan.ts";
import { MOST_ATTEMPTS, type Status } from "./situation.ts";
import { statusAfter } from "./status.ts";

const HOURLY = { policy: { backupIntervalInSecond: 3600 } };

function shown(status: Status, type: string): string {
  const { status: value, reason } = conditionOf(status.conditions, type) ?? {};
  return `${value} ${reason}`;
}

test("a failure is reported while it is retried, and says nothing about the newest backup", () => {
  const message = "Removing what is left of a drill; but the API server did not answer";
  const status = statusAfter(aBackupSeen(), { kind: "obstructed", reason: "ActionFailed", message });
  assert.equal(shown(status, "Progressing"), "True ActionFailed");
  assert.equal(conditionOf(status.conditions, "Progressing")?.message, message);
  assert.equal(shown(status, "Succeeded"), "Unknown Pending");
});

describe("a backup that is taken once", () => {
  test("says what is being done, and then what was stored", () => {
    const backup = new SimulatedBackup();
    backup.settle();
    assert.deepEqual(
      { ...backup.status, conditions: undefined },
      {
        observedGeneration: 1,
        lastRun: "2030-01-15T10:00:00Z",
        attempts: 1,
        progress: { startedAt: "2030-01-15T10:00:00Z", step: "Streaming" },
        conditions: undefined,
      },
    );
    assert.equal(shown(backup.status, "Succeeded"), "Unknown Pending");
    assert.equal(shown(backup.status, "Progressing"), "True Running");
    backup.nowMs += MINUTE_MS;
    backup.end();
    const { conditions: _, lastBackup, lastBackupOf: __, restorePoints, ...rest } = backup.status;
    assert.deepEqual(rest, {
      observedGeneration: 1,
      succeeded: true,
      etcdVersion: "3.5.30",
      etcdRevision: 42,
      lastSuccessDate: "2030-01-15T10:01:00Z",
      lastRun: "2030-01-15T10:00:00Z",
      restorePointsTotal: 1,
    });
    assert.equal(restorePoints?.[0]?.path, "bucket/etcd/nightly");
    assert.equal(lastBackup?.path, "bucket/etcd/nightly");
    assert.equal(shown(backup.status, "Succeeded"), "True Verified");
    assert.equal(shown(backup.status, "Progressing"), "False Finished");
    assert.deepEqual(backup.events, ["BackupStarted", "BackupSucceeded"]);
  });

  test("that fails now and then is tried again, and says neither yes nor no meanwhile", async () => {
    const backup = new SimulatedBackup();
    backup.settle();
    backup.fail({ message: "the store does not answer" });
    const { succeeded, Reason, lastError, lastErrorDate, attempts, progress } = backup.status;
    assert.deepEqual([succeeded, Reason, progress], [undefined, undefined, undefined]);
    assert.deepEqual([lastError, lastErrorDate, attempts], ["the store does not answer", rfc3339(NOW_MS), 1]);
    assert.equal(shown(backup.status, "Succeeded"), "Unknown AttemptFailed");
    assert.equal(shown(backup.status, "Progressing"), "True Retrying");
    await backup.advance(10_000);
    assert.equal(backup.status.attempts, 2);
    backup.end();
    assert.deepEqual(
      [backup.status.succeeded, backup.status.lastError, backup.status.attempts],
      [true, undefined, undefined],
    );
    assert.deepEqual(backup.events, ["BackupStarted", "BackupFailed", "BackupStarted", "BackupSucceeded"]);
  });

  test("fails for good after six attempts, whose pauses double", async () => {
    const backup = new SimulatedBackup();
    backup.settle();
    const pausesMs: number[] = [];
    for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt += 1) {
      const failedAtMs = backup.nowMs;
      backup.fail();
      await backup.advance(HOUR_MS);
      pausesMs.push((backup.started.at(-1)?.atMs ?? 0) - failedAtMs);
    }
    assert.deepEqual(pausesMs.slice(0, -1), [10_000, 20_000, 40_000, 80_000, 160_000]);
    assert.equal(backup.status.succeeded, false);
    assert.match(backup.status.Reason ?? "", /^the store does not answer\. Stopped after 6 attempts: edit the spec/);
    assert.equal(shown(backup.status, "Progressing"), "False Finished");
    await backup.advance(100 * HOUR_MS);
    assert.equal(backup.started.length, MOST_ATTEMPTS);
  });

  test("that failed for good is taken again when its spec is edited, and counts from one", async () => {
    const backup = new SimulatedBackup();
    backup.settle();
    for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt += 1) {
      backup.fail();
      await backup.advance(HOUR_MS);
    }
    backup.edit({ spec: { s3: { path: "bucket/other" } } });
    backup.settle();
    assert.deepEqual([backup.status.succeeded, backup.status.attempts, backup.isRunning], [undefined, 1, true]);
  });

  test("that needs a fix fails at once, and is checked again without an edit", async () => {
    const backup = new SimulatedBackup();
    backup.settle();
    backup.fail({ needsFix: true, message: "there is no bucket 'x': create it" });
    assert.equal(backup.status.succeeded, false);
    assert.equal(backup.status.Reason, "there is no bucket 'x': create it");
    assert.equal(shown(backup.status, "Succeeded"), "False NeedsAttention");
    for (let hour = 1; hour <= 20; hour += 1) {
      await backup.advance(5 * MINUTE_MS);
      backup.fail({ needsFix: true });
    }
    await backup.advance(5 * MINUTE_MS);
    backup.end();
    assert.deepEqual([backup.status.succeeded, backup.status.Reason], [true, undefined]);
  });

  test("that an operator was killed over is begun again by the next", () => {
    const backup = new SimulatedBackup();
    backup.settle();
    backup.restart(30_000);
    backup.settle();
    assert.deepEqual(
      backup.started.map(({ attempt }) => attempt),
      [1, 1],
    );
    backup.end();
    assert.equal(backup.status.succeeded, true);
    backup.restart();
    backup.settle();
    assert.equal(backup.started.length, 2);
  });

  test("whose spec is edited while it is taken is begun again for the new one", () => {
    const backup = new SimulatedBackup();
    backup.settle();
    backup.edit({ spec: { s3: { path: "bucket/other" } } });
    backup.settle();
    assert.equal(backup.started.length, 2);
    backup.end();
    assert.deepEqual([backup.status.succeeded, backup.status.observedGeneration], [true, 2]);
  });
});

describe("a periodic backup", () => {
  test("goes on from run to run", async () => {
    const backup = new SimulatedBackup(HOURLY);
    backup.settle();
    assert.deepEqual(backup.object.metadata.finalizers, [FINALIZER]);
    for (let run = 0; run < 3; run += 1) {
      backup.nowMs += 20_000;
      backup.end();
      assert.equal(shown(backup.status, "Progressing"), "False Scheduled");
      await backup.advance(HOUR_MS - 20_000);
    }
    assert.deepEqual(
      backup.started.map(({ atMs }) => (atMs - NOW_MS) / HOUR_MS),
      [0, 1, 2, 3],
    );
    assert.equal(backup.status.nextRun, rfc3339(NOW_MS + 4 * HOUR_MS));
  });

  test("that fails reports so, keeps what it had, and is healthy again after the next success", async () => {
    const backup = new SimulatedBackup(HOURLY);
    backup.settle();
    backup.end();
    await backup.advance(HOUR_MS);
    backup.fail();
    assert.deepEqual([backup.status.succeeded, backup.status.Reason], [false, "the store does not answer"]);
    assert.equal(backup.status.lastBackup?.revision, 42);
    assert.equal(backup.status.lastSuccessDate, rfc3339(NOW_MS));
    await backup.advance(10_000);
    backup.end();
    assert.deepEqual(
      [backup.status.succeeded, backup.status.Reason, backup.status.lastError],
      [true, undefined, undefined],
    );
    assert.equal(backup.status.nextRun, rfc3339(NOW_MS + 2 * HOUR_MS));
  });

  test("never fails for good: it is tried every five minutes, and at each of its times", async () => {
    const backup = new SimulatedBackup(HOURLY);
    backup.settle();
    for (let attempt = 0; attempt < 30; attempt += 1) {
      backup.fail();
      await backup.advance(5 * MINUTE_MS);
    }
    assert.equal(backup.started.length, 31);
    assert.equal(backup.status.attempts, 31);
  });

  test("does not run twice for one time when the operator was away, however long", () => {
    const backup = new SimulatedBackup({ policy: { schedule: "0 3 * * *" } });
    backup.settle();
    backup.end();
    backup.restart(50 * HOUR_MS);
    backup.settle();
    backup.end();
    backup.restart(60_000);
    assert.equal(backup.settle().reason, "Scheduled");
    assert.equal(backup.started.length, 2);
  });

  test("whose schedule is edited during a run keeps the run, and the new times", () => {
    const backup = new SimulatedBackup(HOURLY);
    backup.settle();
    backup.edit({ policy: { backupIntervalInSecond: 600 } });
    backup.settle();
    assert.deepEqual([backup.started.length, backup.isRunning], [1, true]);
    assert.equal(backup.status.nextRun, rfc3339(NOW_MS + 10 * MINUTE_MS));
    backup.end();
    assert.equal(backup.status.nextRun, rfc3339(NOW_MS + 10 * MINUTE_MS));
    assert.equal(backup.settle().reason, "Scheduled");
  });

  test("stays what it was when nothing but its retention is edited", () => {
    const backup = new SimulatedBackup(HOURLY);
    backup.settle();
    backup.end();
    backup.edit({ policy: { ...HOURLY.policy, maxBackups: 5 } });
    backup.settle();
    assert.deepEqual([backup.status.succeeded, backup.status.observedGeneration, backup.started.length], [true, 2, 1]);
  });

  test("that becomes one to be taken once is taken again", () => {
    const backup = new SimulatedBackup(HOURLY);
    backup.settle();
    backup.end();
    backup.edit({});
    backup.settle();
    backup.end();
    assert.deepEqual([backup.started.length, backup.status.nextRun, backup.settle().kind], [2, undefined, "none"]);
  });
});

describe("a spec that is not valid", () => {
  test("is reported once, and the schedule continues as soon as it is corrected", async () => {
    const backup = new SimulatedBackup({ ...HOURLY, spec: { storageType: "Tape" } });
    await backup.advance(HOUR_MS);
    assert.equal(backup.status.succeeded, false);
    assert.match(backup.status.Reason ?? "", /storageType/);
    assert.equal(shown(backup.status, "Progressing"), "False InvalidSpec");
    assert.deepEqual([backup.events, backup.started], [["InvalidSpec"], []]);
    backup.edit(HOURLY);
    backup.settle();
    assert.equal(backup.isRunning, true);
    assert.equal(shown(backup.status, "Succeeded"), "Unknown Pending");
  });

  test("that comes during a run ends the run", () => {
    const backup = new SimulatedBackup(HOURLY);
    backup.settle();
    backup.edit({ ...HOURLY, spec: { storageType: "Tape" } });
    backup.settle();
    assert.deepEqual([backup.isRunning, backup.status.progress, backup.status.succeeded], [false, undefined, false]);
  });
});

describe("the status", () => {
  test("is written only when it says something new", async () => {
    const backup = new SimulatedBackup(HOURLY);
    backup.settle();
    backup.end();
    const { writes } = backup;
    for (let pass = 0; pass < 50; pass += 1) {
      backup.nowMs += 1_000;
      backup.settle();
    }
    assert.equal(backup.writes, writes);
    assert.ok(writes <= 4, `${writes} writes for one run`);
  });

  test("shows how far a run has got", () => {
    const progress = { step: "Streaming the snapshot", path: "bucket/x", bytes: 5, totalBytes: 10 };
    const seen = aBackupSeen({ run: aRun({}, { state: { kind: "running", progress } }) });
    assert.deepEqual(statusAfter(seen, plan(seen)).progress, {
      startedAt: rfc3339(NOW_MS),
      ...progress,
      percent: 50,
      done: "50 % of 10 B",
    });
  });

  test("keeps the path of one that was interrupted, until the next says where its own will be", () => {
    const status = { progress: { startedAt: rfc3339(NOW_MS - 60_000), step: "Streaming", path: "bucket/left" } };
    const path = (state: RunSeen["state"]) => {
      const seen = aBackupSeen({ status, run: aRun({}, { state }) });
      return statusAfter(seen, plan(seen)).progress?.path;
    };
    assert.equal(path({ kind: "queued" }), "bucket/left");
    assert.equal(path({ kind: "running", progress: { step: "Checking the members" } }), "bucket/left");
    assert.equal(path({ kind: "running", progress: { step: "Streaming", path: "bucket/new" } }), "bucket/new");
  });

  test("shows that a run waits for its turn", () => {
    const seen = aBackupSeen({ run: aRun({}, { state: { kind: "queued" } }) });
    const status = statusAfter(seen, plan(seen));
    assert.equal(status.progress?.step, "Waiting for a transfer slot");
    assert.equal(shown(status, "Progressing"), "True Queued");
  });

  test("of coreos/etcd-operator is kept, and completed", () => {
    const old = { succeeded: true, etcdVersion: "3.2.13", etcdRevision: 7, lastSuccessDate: "2029-01-01T00:00:00Z" };
    const backup = new SimulatedBackup({ status: old });
    backup.settle();
    const { conditions: _, ...rest } = backup.status;
    assert.deepEqual(rest, { ...old, observedGeneration: 1 });
    assert.deepEqual(backup.started, []);
  });

  test("of coreos/etcd-operator does not pass for verified, now or later", () => {
    const backup = new SimulatedBackup({ status: { succeeded: true } });
    backup.settle();
    backup.restart(HOUR_MS);
    backup.settle();
    assert.equal(shown(backup.status, "Succeeded"), "True TakenByEarlierOperator");
    assert.deepEqual(backup.started, []);
  });

  test("of a failure under coreos/etcd-operator is final until the spec is edited", () => {
    const backup = new SimulatedBackup({ status: { succeeded: false, Reason: "no such bucket" } });
    backup.settle();
    backup.settle();
    assert.deepEqual([backup.status.succeeded, backup.status.Reason], [false, "no such bucket"]);
    assert.deepEqual(backup.started, []);
    backup.edit({ spec: { s3: { path: "bucket/other" } } });
    backup.settle();
    assert.equal(backup.isRunning, true);
  });

  test("reports the newest backup as long as it is where the spec says, and no other", () => {
    const backup = new SimulatedBackup({ policy: { backupIntervalInSecond: 3600 } });
    backup.settle();
    backup.end();
    const { lastBackup } = backup.status;
    assert.equal(backup.status.lastBackupOf, "EtcdCluster 'example' in S3 bucket 'bucket'");
    backup.edit({ policy: { backupIntervalInSecond: 7200 }, spec: { s3: { path: "bucket/etcd/other" } } });
    backup.settle();
    assert.deepEqual([backup.status.lastBackup, backup.isRunning], [lastBackup, false]);
    backup.edit({ policy: { backupIntervalInSecond: 7200 }, spec: { s3: { path: "elsewhere/etcd" } } });
    backup.settle();
    assert.deepEqual([backup.status.lastBackup, backup.status.lastBackupOf], [undefined, undefined]);
    const { lastSuccessDate, etcdRevision, succeeded } = backup.status;
    assert.deepEqual([lastSuccessDate, etcdRevision, succeeded], [undefined, undefined, undefined]);
    assert.equal(backup.isRunning, true, "there is none in the new store, so one is taken at once");
    backup.end();
    assert.equal(backup.status.lastBackupOf, "EtcdCluster 'example' in S3 bucket 'elsewhere'");
  });

  test("does not report a backup of another cluster", () => {
    const backup = new SimulatedBackup();
    backup.settle();
    backup.end();
    backup.edit({ spec: { etcdCluster: { name: "another" } } });
    backup.settle();
    assert.deepEqual([backup.status.lastBackup, backup.isRunning], [undefined, true]);
  });

  test("keeps the newest backup while the spec says nothing that could be followed", () => {
    const backup = new SimulatedBackup();
    backup.settle();
    backup.end();
    const { lastBackup, lastBackupOf } = backup.status;
    backup.edit({ spec: { s3: { path: "/elsewhere" } } });
    backup.settle();
    assert.deepEqual([backup.status.lastBackup, backup.status.lastBackupOf], [lastBackup, lastBackupOf]);
  });

  test("records the location of a backup that has none recorded", () => {
    const lastBackup = { path: "bucket/etcd/nightly" };
    const backup = new SimulatedBackup({ status: { observedGeneration: 1, succeeded: true, lastBackup } });
    backup.settle();
    assert.equal(backup.status.lastBackupOf, "EtcdCluster 'example' in S3 bucket 'bucket'");
  });

  test("does not take a backup for one of the edited spec when its location was not recorded", () => {
    const lastBackup = { path: "bucket/etcd/nightly" };
    const backup = new SimulatedBackup({ status: { observedGeneration: 1, succeeded: true, lastBackup } });
    backup.edit({ spec: { s3: { path: "elsewhere/etcd" } } });
    backup.settle();
    assert.deepEqual([backup.status.lastBackup, backup.status.lastBackupOf], [undefined, undefined]);
  });

  test("keeps what its drills have to say", () => {
    const seen = aBackupSeen({ status: { drill: { succeeded: true } } });
    assert.deepEqual(statusAfter(seen, plan(seen)).drill, { succeeded: true });
  });
});
