import { conditionOf } from "@etcd-operator/kubernetes-client";
import type { Action, EndedRun } from "./action.ts";
import type { Observation, RunSucceeded } from "./observation.ts";
import { type BackupEvent, backupEvent } from "./reasons.ts";
import { lastReason, type Status } from "./situation.ts";

/** The Events of one reconcile of an EtcdBackup. */
export function eventsOf({ backup }: Observation, action: Action, next: Status): BackupEvent[] {
  if (action.kind === "start-run") return [backupEvent("BackupStarted", action.message)];
  if (action.kind === "record-run") return ofRun(action.run, next);
  if (action.kind === "start-drill") return [backupEvent("DrillStarted", action.message)];
  if (action.kind === "record-drill") {
    const { kind } = action.drill.state.outcome;
    return [backupEvent(kind === "passed" ? "DrillSucceeded" : "DrillFailed", action.message)];
  }
  const [before, now] = [backup.status, next].map((status) => conditionOf(status?.conditions, "Succeeded"));
  if (now?.reason !== "InvalidSpec" || before?.message === now.message) return [];
  return [backupEvent("InvalidSpec", now.message ?? "")];
}

function ofRun({ about, state: { outcome } }: EndedRun, next: Status): BackupEvent[] {
  if (outcome.kind === "succeeded") {
    return [backupEvent("BackupSucceeded", sentence(outcome)), ...ofPruning(outcome)];
  }
  const isLast = lastReason(next) === "GaveUp";
  const end = isLast ? ". It will not be retried" : "";
  return [backupEvent("BackupFailed", `Attempt ${about.attempt}: ${outcome.message}${end}`)];
}

function sentence({ snapshot }: RunSucceeded): string {
  const { path, revision, sizeBytes, etcdVersion } = snapshot;
  return `Backup '${path}' is verified: revision ${revision}, ${sizeBytes} bytes, of etcd ${etcdVersion}`;
}

const MOST_NAMED = 3;

function ofPruning({ pruning }: RunSucceeded): BackupEvent[] {
  const { removed = [], failure } = pruning ?? {};
  const names = removed.slice(0, MOST_NAMED).map((path) => `'${path}'`);
  const more = removed.length > MOST_NAMED ? ` and ${removed.length - MOST_NAMED} more` : "";
  const message = `Removed ${removed.length === 1 ? "1 old backup" : `${removed.length} old backups`}: ${names.join(", ")}${more}`;
  return [
    ...(removed.length > 0 ? [backupEvent("BackupPruned", message)] : []),
    ...(failure ? [backupEvent("PruningFailed", failure)] : []),
  ];
}
