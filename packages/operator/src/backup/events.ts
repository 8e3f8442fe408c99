import type { RecordedEvent } from "@etcd-operator/kubernetes-client";
import { conditionOf } from "@etcd-operator/kubernetes-client";
import type { Action, EndedRun } from "./action.ts";
import type { Observation, RunSucceeded } from "./observation.ts";
import type { Status } from "./situation.ts";
import { REASONS } from "./status/reasons.ts";

/** What a pass tells about an EtcdBackup. */
export function eventsOf({ backup }: Observation, action: Action, next: Status): RecordedEvent[] {
  if (action.kind === "start-run") return [{ type: "Normal", reason: "BackupStarted", message: action.message }];
  if (action.kind === "record-run") return ofRun(action.run, next);
  if (action.kind === "start-drill" || action.kind === "record-drill") {
    const { reason, message } = action;
    return [{ type: reason === "DrillFailed" ? "Warning" : "Normal", reason, message }];
  }
  const [before, now] = [backup.status, next].map((status) => conditionOf(status?.conditions, "Succeeded"));
  if (now?.reason !== REASONS.invalid || before?.message === now.message) return [];
  return [{ type: "Warning", reason: REASONS.invalid, message: now.message ?? "" }];
}

function ofRun({ about, state: { outcome } }: EndedRun, next: Status): RecordedEvent[] {
  if (outcome.kind === "succeeded") {
    return [{ type: "Normal", reason: "BackupSucceeded", message: sentence(outcome) }, ...ofPruning(outcome)];
  }
  const isLast = conditionOf(next.conditions, "Succeeded")?.reason === REASONS.gaveUp;
  const end = isLast ? ". It is not tried again" : "";
  return [{ type: "Warning", reason: "BackupFailed", message: `Attempt ${about.attempt}: ${outcome.message}${end}` }];
}

function sentence({ snapshot }: RunSucceeded): string {
  const { path, revision, sizeBytes, etcdVersion } = snapshot;
  return `Backup '${path}' is verified: revision ${revision}, ${sizeBytes} bytes, of etcd ${etcdVersion}`;
}

const MOST_NAMED = 3;

function ofPruning({ pruning }: RunSucceeded): RecordedEvent[] {
  const { removed = [], failure } = pruning ?? {};
  const names = removed.slice(0, MOST_NAMED).map((path) => `'${path}'`);
  const more = removed.length > MOST_NAMED ? ` and ${removed.length - MOST_NAMED} more` : "";
  const message = `Removed ${removed.length === 1 ? "1 old backup" : `${removed.length} old backups`}: ${names.join(", ")}${more}`;
  return [
    ...(removed.length > 0 ? [{ type: "Normal", reason: "BackupPruned", message } as const] : []),
    ...(failure ? [{ type: "Warning", reason: "PruningFailed", message: failure } as const] : []),
  ];
}
