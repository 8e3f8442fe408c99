import { parseTime } from "@etcd-operator/kubernetes-client";
import { currentBackup } from "../../api/backup/backup-place.ts";
import { type Rule, wishOf } from "../situation.ts";

/** Nobody wants to know any more what it would prove. */
export const dropOutdatedDrill: Rule = ({ seen, spec }) => {
  const { drill, backup, problems } = seen;
  if (!drill) return undefined;
  const { uid, wish } = drill.about;
  const isWanted = problems.length === 0 && Boolean(spec.backupPolicy?.drillSchedule);
  if (isWanted && uid === backup.metadata.uid && wish === wishOf(spec)) return undefined;
  return { kind: "drop-drill", reason: "SpecChanged", message: "The spec has changed: the drill is called off" };
};

export const recordDrill: Rule = ({ seen }) => {
  const { drill } = seen;
  if (drill?.state.kind !== "ended") return undefined;
  const { about, state } = drill;
  const { outcome } = state;
  const { path } = about.snapshot;
  const [reason, message] =
    outcome.kind === "passed"
      ? (["DrillSucceeded", `Backup '${path}' was restored and is what it should be`] as const)
      : (["DrillFailed", `Backup '${path}' was not proved: ${outcome.message}`] as const);
  return { kind: "record-drill", drill: { about, state }, reason, message };
};

/** One that was interrupted, and is not begun again: there is no schedule any more, or nothing to prove. */
export const clearDrill: Rule = ({ seen, status, drill }) => {
  const { lastRun, succeeded } = status.drill ?? {};
  const isInterrupted = !seen.drill && lastRun !== undefined && succeeded === undefined;
  if (!isInterrupted || drill.dueMs !== undefined) return undefined;
  return { kind: "clear-drill", reason: "DrillCanceled", message: "The drill of another time is not wanted any more" };
};

/** Proves the newest backup when that is due. */
export const startDrill: Rule = ({ seen, spec, status, drill }) => {
  const { nowMs, backup } = seen;
  const snapshot = currentBackup(backup);
  if (seen.drill || !snapshot || drill.dueMs === undefined || drill.dueMs > nowMs) return undefined;
  const isAgain = status.drill?.lastRun !== undefined && status.drill.succeeded === undefined;
  const about = {
    uid: backup.metadata.uid,
    wish: wishOf(spec),
    startedAtMs: nowMs,
    slotMs: (isAgain ? parseTime(status.drill?.lastRun) : undefined) ?? drill.dueMs,
    snapshot,
  };
  const message = `Backup '${snapshot.path}' is restored into a throw-away member, to prove it`;
  return { kind: "start-drill", about, reason: "DrillStarted", message };
};
