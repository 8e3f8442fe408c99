import {
  conditionAfter,
  conditionOf,
  cut,
  defined,
  rfc3339,
  sortedJson,
  withEndConditions,
} from "@etcd-operator/kubernetes-client";
import { backupPlace } from "../api/backup/backup-place.ts";
import type { Action } from "./action.ts";
import type { Observation, RunOutcome, RunSeen } from "./observation.ts";
import { isElsewhere, type Situation, type Status, situationOf } from "./situation.ts";
import { drillAfter } from "./status/drill.ts";
import { progressOf } from "./status/progress.ts";
import { progressing } from "./status/progressing.ts";
import { restorePointsOf } from "./status/restore-points.ts";
import { succeeded } from "./status/succeeded.ts";

/** The status of an EtcdBackup after a reconcile, from its observation and action. */
export function statusAfter(seen: Observation, action: Action): Status {
  const now = situationOf(seen);
  const run = runAfter(seen, action);
  const outcome = action.kind === "record-run" ? action.run.state.outcome : undefined;
  const facts = defined<Status>({
    observedGeneration: seen.backup.metadata.generation,
    ...verdictFields(now, action),
    ...resultFields(now, outcome),
    ...newestFields(now, outcome),
    ...restorePointsOf(now, outcome),
    ...runFields(now, run, outcome),
    progress: progressOf(now, action, run),
    drill: drillAfter(now, action),
  });
  const after = { ...seen, run: undefined, drill: undefined, backup: { ...seen.backup, status: facts } };
  const isUnderWay = run !== undefined && outcome === undefined && action.kind !== "drop-run";
  return withCondition(after, "Progressing", progressing(situationOf(after), isUnderWay ? run : undefined, action));
}

/** Whether a status has anything new. That of a deleted object is not written. */
export function isWorthWriting({ backup }: Observation, next: Status): boolean {
  if (backup.metadata.deletionTimestamp !== undefined) return false;
  return sortedJson(backup.status ?? {}) !== sortedJson(next);
}

function runAfter(seen: Observation, action: Action): RunSeen | undefined {
  return action.kind === "start-run" ? { about: action.about, state: { kind: "queued" } } : seen.run;
}

function verdictFields(now: Situation, action: Action): Pick<Status, "succeeded" | "Reason" | "conditions"> {
  const verdict = succeeded(now, action);
  const { nowMs, backup } = now.seen;
  const old = conditionOf(now.status.conditions, "Succeeded");
  const moment = { nowMs, generation: backup.metadata.generation };
  const others = (now.status.conditions ?? []).filter(({ type }) => type !== "Succeeded");
  return {
    succeeded: verdict.isTrue,
    Reason: verdict.isTrue === false ? cut(verdict.message) : undefined,
    conditions: [conditionAfter("Succeeded", verdict, old, moment), ...withEndConditions(others, verdict, moment)],
  };
}

/** What the newest backup is, and why the newest attempt failed. */
function resultFields(now: Situation, outcome: RunOutcome | undefined) {
  const { etcdVersion, etcdRevision, lastSuccessDate, lastError, lastErrorDate } = now.status;
  if (outcome?.kind === "succeeded") {
    const { snapshot, verifiedAtMs } = outcome;
    return {
      etcdVersion: snapshot.etcdVersion,
      etcdRevision: snapshot.revision,
      lastSuccessDate: rfc3339(verifiedAtMs),
    };
  }
  const good = isElsewhere(now) ? {} : { etcdVersion, etcdRevision, lastSuccessDate: lastSuccessDate ?? undefined };
  if (!outcome) return { ...good, lastError, lastErrorDate };
  return { ...good, lastError: cut(outcome.message), lastErrorDate: rfc3339(outcome.endedAtMs) };
}

/** The newest backup that matches the spec: one of another cluster, or in another store, would mislead. */
function newestFields(now: Situation, outcome: RunOutcome | undefined) {
  const { seen, spec, status } = now;
  const { lastBackup, lastBackupOf } = status;
  if (outcome?.kind === "succeeded") return { lastBackup: outcome.snapshot, lastBackupOf: backupPlace(spec) };
  if (seen.problems.length > 0) return { lastBackup, lastBackupOf };
  return lastBackup && !isElsewhere(now) ? { lastBackup, lastBackupOf: backupPlace(spec) } : {};
}

function runFields(now: Situation, run: RunSeen | undefined, outcome: RunOutcome | undefined) {
  const { status, attempts, nextRunMs } = now;
  const lastRun = run ? rfc3339(run.about.slotMs) : status.lastRun;
  // What is on record for this very run may have been changed by an edit since it was begun.
  const isOnRecord = !run || status.lastRun === lastRun;
  const next = isOnRecord ? nextRunMs : run.about.nextRunMs;
  const tried = run ? run.about.attempt : attempts;
  return {
    lastRun,
    nextRun: next === undefined ? undefined : rfc3339(next),
    attempts: outcome?.kind === "succeeded" || tried === 0 ? undefined : tried,
  };
}

function withCondition(after: Observation, type: string, verdict: ReturnType<typeof progressing>): Status {
  const { status = {}, metadata } = after.backup;
  const others = (status.conditions ?? []).filter((condition) => condition.type !== type);
  const moment = { nowMs: after.nowMs, generation: metadata.generation };
  const condition = conditionAfter(type, verdict, conditionOf(status.conditions, type), moment);
  return { ...status, conditions: [...others, condition] };
}
