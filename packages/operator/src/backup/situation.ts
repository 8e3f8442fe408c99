import { conditionOf, parseTime, sortedJson } from "@etcd-operator/kubernetes-client";
import { currentBackup } from "../api/backup/backup-place.ts";
import type { EtcdBackup } from "../api/etcd-backup.ts";
import type { Action } from "./action.ts";
import { type DrillTimes, drillTimes } from "./drill-times.ts";
import type { Observation } from "./observation.ts";
import type { BackupVerdict } from "./reasons.ts";
import { nextAfter, type Periodic, type Rhythm, rhythmOf } from "./rhythm.ts";

export type Spec = EtcdBackup["spec"];
export type Status = NonNullable<EtcdBackup["status"]>;

/** What was seen, and what follows from spec, status and time alone. */
export interface Situation {
  readonly seen: Observation;
  readonly spec: Spec;
  readonly status: Status;
  readonly rhythm: Rhythm;
  /** The spec was edited since the status was written. */
  readonly isNewSpec: boolean;
  /** Attempts at the run that has not succeeded yet. */
  readonly attempts: number;
  /** When the next run of a periodic one is due, whatever became of the last. */
  readonly nextRunMs: number | undefined;
  /** When something has to be done next; undefined when nothing ever has. */
  readonly due: Due | undefined;
  readonly drill: DrillTimes;
}

export interface Due {
  readonly atMs: number;
  readonly why: "first" | "scheduled" | "retry" | "interrupted";
}

/** A rule returns one action for the situation, or nothing. */
export type Rule = (now: Situation) => Action | undefined;

/** A run that fails this often in a row is aborted, if it is not a periodic one. */
export const MOST_ATTEMPTS = 6;

export function situationOf(seen: Observation): Situation {
  const { spec, status = {} } = seen.backup;
  const rhythm: Rhythm = seen.problems.length > 0 ? { kind: "once" } : rhythmOf(spec);
  const isNewSpec = isEdited(seen);
  const facts = { seen, spec, status, rhythm, isNewSpec, attempts: isNewSpec ? 0 : (status.attempts ?? 0) };
  const nextRunMs = rhythm.kind === "once" ? undefined : nextRun(facts, rhythm);
  const due = seen.problems.length > 0 ? undefined : dueOf(facts, nextRunMs);
  return { ...facts, nextRunMs, due, drill: drillTimes(seen, isNewSpec) };
}

export function isPeriodic({ rhythm }: Pick<Situation, "rhythm">): boolean {
  return rhythm.kind !== "once";
}

/**
 * The newest backup is of another source than the spec says now, or is in another store. Where its source was not
 * recorded, an edit puts it in doubt.
 */
export function isElsewhere({ seen, status, isNewSpec }: Pick<Situation, "seen" | "status" | "isNewSpec">): boolean {
  if (!status.lastBackup || seen.problems.length > 0) return false;
  return !currentBackup(seen.backup) || (isNewSpec && status.lastBackupOf === undefined);
}

/** As much of the spec as a run depends on: when it changes, a run that is under way is of no use any more. */
export function wishOf(spec: Spec): string {
  const { backupPolicy, ...rest } = spec;
  const isOneOfMany = rhythmOf(spec).kind !== "once";
  return sortedJson([rest, backupPolicy?.timeoutInSecond ?? 0, isOneOfMany]);
}

type Facts = Omit<Situation, "nextRunMs" | "due" | "drill">;

function isEdited({ backup }: Observation): boolean {
  const { observedGeneration } = backup.status ?? {};
  const { generation } = backup.metadata;
  return observedGeneration !== undefined && generation !== undefined && observedGeneration !== generation;
}

/**
 * The recorded time counts, and a missed run is due now, once. An edit may bring it forward or put it off; and
 * a user who edits the spec of a failing backup wants to see whether that has helped.
 */
function nextRun(facts: Facts, rhythm: Periodic): number | undefined {
  const { seen, status, isNewSpec } = facts;
  const { nowMs } = seen;
  const recorded = parseTime(status.nextRun);
  const last = parseTime(status.lastRun) ?? parseTime(status.lastSuccessDate);
  if (!isNewSpec && recorded !== undefined) return notTooFar(rhythm, recorded, nowMs);
  if (last === undefined || (isNewSpec && (isFailing(seen) || isElsewhere(facts)))) return nowMs;
  if (recorded !== undefined && recorded <= nowMs) return recorded;
  // The missed slots of another schedule do not count.
  if (rhythm.kind === "cron" && isNewSpec) return nextAfter(rhythm, nowMs, nowMs);
  return nextAfter(rhythm, Math.min(last, nowMs), rhythm.kind === "cron" ? Math.min(last, nowMs) : nowMs);
}

/** A clock that was corrected must not put the next run off for longer than the rhythm does. */
function notTooFar(rhythm: Periodic, recordedMs: number, nowMs: number): number {
  if (recordedMs <= nowMs) return recordedMs;
  return Math.min(recordedMs, nextAfter(rhythm, nowMs, nowMs) ?? recordedMs);
}

function isFailing({ run, backup }: Observation): boolean {
  const { attempts = 0, succeeded, progress } = backup.status ?? {};
  return !run && !progress && (succeeded === false || attempts > 0);
}

function dueOf(facts: Facts, nextRunMs: number | undefined): Due | undefined {
  const { seen, status, rhythm, attempts } = facts;
  const { nowMs } = seen;
  if (rhythm.kind === "once" && isSettled(facts)) return undefined;
  // It was started, and no process runs it: that process has ended or had to stop. Nothing of it is in the store.
  if (status.progress && !seen.run) return { atMs: nowMs, why: "interrupted" };
  const scheduled = rhythm.kind === "once" ? firstOf(facts) : scheduledAt(facts, nextRunMs);
  if (attempts === 0) return scheduled;
  const retry = { atMs: (parseTime(status.lastErrorDate) ?? nowMs) + pauseMs(facts), why: "retry" } as const;
  return scheduled && scheduled.atMs < retry.atMs ? scheduled : retry;
}

function firstOf({ seen, attempts }: Facts): Due | undefined {
  return attempts === 0 ? { atMs: seen.nowMs, why: "first" } : undefined;
}

function scheduledAt({ status }: Facts, nextRunMs: number | undefined): Due | undefined {
  if (nextRunMs === undefined) return undefined;
  return { atMs: nextRunMs, why: status.lastRun ? "scheduled" : "first" };
}

/** The reason of the condition `Succeeded`, by which later reconciles decide. */
export function lastReason({ conditions }: Status): BackupVerdict<"Succeeded">["reason"] | undefined {
  const reason = conditionOf(conditions, "Succeeded")?.reason;
  // Only operators write it, and one that this release does not know decides nothing.
  return reason as BackupVerdict<"Succeeded">["reason"] | undefined;
}

/**
 * It succeeded, or failed for good. What coreos/etcd-operator left without saying of which spec counts as that of
 * today's.
 */
function isSettled({ status, isNewSpec }: Facts): boolean {
  if (isNewSpec) return false;
  if (status.observedGeneration === undefined) return status.succeeded !== undefined;
  return status.succeeded === true || lastReason(status) === "GaveUp";
}

const FIRST_PAUSE_MS = 10_000;
const LONGEST_PAUSE_MS = 300_000;

/** How long to wait after a failure. */
function pauseMs({ status, attempts }: Facts): number {
  const { lastTransitionTime } = conditionOf(status.conditions, "Succeeded") ?? {};
  if (lastReason(status) !== "NeedsAttention") return withinBounds(FIRST_PAUSE_MS * 2 ** Math.min(attempts - 1, 10));
  // As long again as it has been so: often the Secret or the cluster only comes a moment later, with the same `kubectl
  // apply`.
  return withinBounds((parseTime(status.lastErrorDate) ?? 0) - (parseTime(lastTransitionTime) ?? 0));
}

function withinBounds(ms: number): number {
  return Math.min(Math.max(ms, FIRST_PAUSE_MS), LONGEST_PAUSE_MS);
}
