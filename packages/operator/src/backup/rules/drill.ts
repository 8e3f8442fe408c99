import { parseTime } from "@etcd-operator/kubernetes-client";
import { currentBackup } from "../../api/backup/backup-place.ts";
import { type Rule, wishOf } from "../situation.ts";

/** The result of the drill is obsolete. */
export const dropOutdatedDrill: Rule = ({ seen, spec }) => {
  const { drill, backup, problems } = seen;
  if (!drill) return undefined;
  const { uid, request } = drill.about;
  const isWanted = problems.length === 0 && Boolean(spec.backupPolicy?.drillSchedule);
  if (isWanted && uid === backup.metadata.uid && request === wishOf(spec)) return undefined;
  return { kind: "drop-drill", reason: "SpecChanged", message: "The spec has changed: cancelling the drill" };
};

export const recordDrill: Rule = ({ seen }) => {
  const { drill } = seen;
  if (drill?.state.kind !== "ended") return undefined;
  const { about, state } = drill;
  const { outcome } = state;
  const { path } = about.snapshot;
  const [reason, message] =
    outcome.kind === "passed"
      ? (["DrillSucceeded", `Backup '${path}' was restored and verified`] as const)
      : (["DrillFailed", `Restore drill of backup '${path}' failed: ${outcome.message}`] as const);
  return { kind: "record-drill", drill: { about, state }, reason, message };
};

/** One that was interrupted, and is not begun again: there is no schedule any more, or nothing to prove. */
export const clearDrill: Rule = ({ seen, status, drill }) => {
  const { lastRun, succeeded } = status.drill ?? {};
  const isInterrupted = !seen.drill && lastRun !== undefined && succeeded === undefined;
  if (!isInterrupted || drill.dueMs !== undefined) return undefined;
  return {
    kind: "clear-drill",
    reason: "DrillCanceled",
    message: "Clearing an interrupted drill that is not configured any more",
  };
};

/** Proves the newest backup when that is due. */
export const startDrill: Rule = ({ seen, spec, status, drill }) => {
  const { nowMs, backup } = seen;
  const snapshot = currentBackup(backup);
  if (seen.drill || !snapshot || drill.dueMs === undefined || drill.dueMs > nowMs) return undefined;
  const isAgain = status.drill?.lastRun !== undefined && status.drill.succeeded === undefined;
  const about = {
    uid: backup.metadata.uid,
    request: wishOf(spec),
    startedAtMs: nowMs,
    slotMs: (isAgain ? parseTime(status.drill?.lastRun) : undefined) ?? drill.dueMs,
    snapshot,
  };
  const message = `Restoring backup '${snapshot.path}' into a throw-away member to verify it`;
  return { kind: "start-drill", about, reason: "DrillStarted", message };
};
