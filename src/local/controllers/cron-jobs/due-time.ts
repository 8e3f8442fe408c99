import type { CronJob } from "kubernetes-types/batch/v1.d.ts";
import type { Stored } from "../../../kubernetes/kube-object.ts";
import { parseTime } from "../../../kubernetes/kube-time.ts";
import type { Schedule } from "./schedule.ts";

/** A second early would be a minute lost; clocks differ by a little. */
const MARGIN_MS = 100;
const MANY = 100;

export interface DueTime {
  /** The last moment at which a Job should have been started; undefined when none has come. */
  readonly scheduledMs: number | undefined;
  /** So many were missed that it looks like a wrong clock. */
  readonly areManyMissed: boolean;
}

/** Of all the moments since the last start the most recent; those beyond the starting deadline do not count. */
export function dueTime(cronJob: Stored<CronJob>, schedule: Schedule, nowMs: number): DueTime {
  const { startingDeadlineSeconds } = cronJob.spec ?? {};
  const deadlineMs = startingDeadlineSeconds === undefined ? 0 : nowMs - startingDeadlineSeconds * 1000;
  const first = schedule.next(Math.max(lastMs(cronJob), deadlineMs));
  if (first === undefined || first > nowMs) return { scheduledMs: undefined, areManyMissed: false };
  const second = schedule.next(first);
  if (second === undefined || second > nowMs) return { scheduledMs: first, areManyMissed: false };
  const missed = Math.floor((nowMs - first) / (second - first)) + 1;
  // Near the end at once: a schedule of every minute may have missed a year.
  let scheduledMs = first;
  let next = schedule.next(first + Math.max(0, missed - 2) * (second - first));
  while (next !== undefined && next <= nowMs) {
    scheduledMs = next;
    next = schedule.next(next);
  }
  return { scheduledMs, areManyMissed: missed > MANY };
}

/** How long until the next moment. */
export function nextInMs(schedule: Schedule, nowMs: number): number | undefined {
  const next = schedule.next(nowMs);
  return next === undefined ? undefined : next + MARGIN_MS - nowMs;
}

function lastMs({ metadata, status }: Stored<CronJob>): number {
  return parseTime(status?.lastScheduleTime) ?? parseTime(metadata.creationTimestamp) ?? 0;
}
