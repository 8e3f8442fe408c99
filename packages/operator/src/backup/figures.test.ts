import assert from "node:assert/strict";
import { aBackupSeen, aRun, failed, NOW_MS, succeeded } from "@etcd-operator/testing/backup/an-etcd-backup.ts";
import { beforeEach, test } from "vitest";
import { Metrics } from "../context/metrics.ts";
import type { Step } from "./action.ts";
import { countAction, showStatus } from "./figures.ts";
import type { RunOutcome } from "./observation.ts";

const KEY = "prod/nightly";
let metrics: Metrics;
beforeEach(() => {
  metrics = new Metrics();
});

async function figures(): Promise<Record<string, number>> {
  const lines = (await metrics.page()).text.matchAll(/^etcd_operator_(\w+){name="nightly",namespace="prod"} (\S+)$/gm);
  return Object.fromEntries([...lines].map(([, name, value]) => [name, Number(value)]));
}

const count = (step: Step) => countAction(metrics.backups, KEY, { ...step, reason: "Running", message: "m" });
const ended = (outcome: RunOutcome, startedAtMs = NOW_MS) => {
  const { about } = aRun({}, { startedAtMs });
  return { kind: "record-run", run: { about, state: { kind: "ended", outcome } } } as const;
};

test("runs are counted when they begin and when their result is reported", async () => {
  const { about } = aRun();
  for (const step of [{ kind: "start-run", about }, { kind: "hold" }, ended(failed())] as const) count(step);
  count({ kind: "start-run", about });
  count(ended(succeeded({ endedAtMs: NOW_MS + 12_500 })));
  const { backups_attempt_total: attempts, backups_failure_total: failures, ...rest } = await figures();
  assert.deepEqual([attempts, failures, rest.backups_success_total], [2, 1, 1]);
  assert.equal(rest.backup_duration_seconds, 12.5);
});

test("what the status reports is shown before anything has run", async () => {
  const status = {
    lastSuccessDate: "2030-01-15T09:00:00Z",
    lastBackup: { path: "b/k", sizeBytes: 20_512, revision: 42 },
    drill: { succeeded: false, recoveryPointSeconds: 60 },
  };
  showStatus(metrics.backups, KEY, aBackupSeen({ status }));
  const shown = await figures();
  assert.deepEqual(
    [shown.backup_last_success, shown.backup_size_bytes, shown.backup_revision],
    [1_894_698_000, 20_512, 42],
  );
  assert.deepEqual([shown.drill_succeeded, shown.drill_recovery_point_seconds], [0, 60]);
});

test("of a status of coreos/etcd-operator the revision is shown, and a drill that has no verdict is none", async () => {
  const status = { succeeded: true, lastSuccessDate: "2030-01-15T09:00:00Z", etcdRevision: 7, drill: { nextRun: "x" } };
  showStatus(metrics.backups, KEY, aBackupSeen({ status }));
  const shown = await figures();
  assert.deepEqual([shown.backup_revision, shown.backup_size_bytes, shown.drill_succeeded], [7, undefined, undefined]);
});
