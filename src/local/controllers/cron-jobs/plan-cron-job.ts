import type { CronJob, CronJobStatus, Job } from "kubernetes-types/batch/v1.d.ts";
import type { ObjectReference } from "kubernetes-types/core/v1.d.ts";
import type { RecordedEvent } from "../../../kubernetes/event-recorder.ts";
import type { Stored } from "../../../kubernetes/kube-object.ts";
import { parseTime } from "../../../kubernetes/kube-time.ts";
import { finishedCondition } from "../jobs/job-conditions.ts";
import { dueTime, nextInMs } from "./due-time.ts";
import { isTimeZone, type Schedule, scheduleOf } from "./schedule.ts";
import { jobName } from "./scheduled-job.ts";

export interface CronJobPlan {
  /** Without the Job that is to be started. */
  readonly status: CronJobStatus;
  readonly toDelete: readonly Stored<Job>[];
  readonly startAtMs?: number | undefined;
  readonly events: readonly RecordedEvent[];
  readonly againInMs?: number | undefined;
}

/** What a CronJob needs now; `jobs` are those that it controls. */
export function planCronJob(cronJob: Stored<CronJob>, jobs: readonly Stored<Job>[], nowMs: number): CronJobPlan {
  const outdated = outdatedJobs(cronJob, jobs);
  const seen = statusAfter(cronJob, jobs);
  const status = { ...seen.status, active: seen.status.active?.filter(({ uid }) => !isAmong(outdated, uid)) ?? [] };
  const kept = { status, toDelete: outdated, events: seen.events };
  if (cronJob.metadata.deletionTimestamp) return kept;
  const { schedule: text = "", timeZone, suspend } = cronJob.spec ?? {};
  if (timeZone !== undefined && !isTimeZone(timeZone)) {
    return { ...kept, events: [...kept.events, warning("UnknownTimeZone", `invalid timeZone: "${timeZone}"`)] };
  }
  if (suspend) return kept;
  const schedule = scheduleOf(text, timeZone);
  if (!schedule) {
    return { ...kept, events: [...kept.events, warning("UnparseableSchedule", `unparseable schedule: "${text}"`)] };
  }
  const start = startOf(cronJob, jobs, schedule, status, nowMs);
  return {
    status,
    toDelete: [...outdated, ...start.toDelete],
    startAtMs: start.startAtMs,
    events: [...kept.events, ...start.events],
    againInMs: nextInMs(schedule, nowMs),
  };
}

type Start = Pick<CronJobPlan, "toDelete" | "startAtMs" | "events">;

function startOf(
  cronJob: Stored<CronJob>,
  jobs: readonly Stored<Job>[],
  schedule: Schedule,
  { active = [] }: CronJobStatus,
  nowMs: number,
): Start {
  const { scheduledMs, areManyMissed } = dueTime(cronJob, schedule, nowMs);
  if (scheduledMs === undefined) return { toDelete: [], events: [] };
  const message = "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew";
  const events = areManyMissed ? [warning("TooManyMissedTimes", message)] : [];
  const isStarted = active.some(({ name }) => name === jobName(cronJob, scheduledMs));
  if (isStarted || parseTime(cronJob.status?.lastScheduleTime) === scheduledMs) return { toDelete: [], events };
  const { concurrencyPolicy } = cronJob.spec ?? {};
  if (concurrencyPolicy === "Forbid" && active.length > 0) {
    const busy = "Not starting job because prior execution is running and concurrency policy is Forbid";
    return { toDelete: [], events: [...events, { type: "Normal", reason: "JobAlreadyActive", message: busy }] };
  }
  const running = jobs.filter(({ metadata }) => active.some(({ uid }) => uid === metadata.uid));
  return { toDelete: concurrencyPolicy === "Replace" ? running : [], events, startAtMs: scheduledMs };
}

/** What the Jobs tell: who still runs, who ended, who went missing, when one last succeeded. */
function statusAfter(
  { status = {} }: CronJob,
  jobs: readonly Stored<Job>[],
): { status: CronJobStatus; events: RecordedEvent[] } {
  const events: RecordedEvent[] = [];
  const active = (status.active ?? []).filter((reference) => {
    const job = jobs.find(({ metadata }) => metadata.uid === reference.uid);
    const ended = job && finishedCondition(job);
    if (ended) events.push(completed(reference, ended.type));
    else if (!job) events.push(normal("MissingJob", `Active job went missing: ${reference.name}`));
    return job && !ended;
  });
  for (const job of jobs) {
    const isKnown = (status.active ?? []).some(({ uid }) => uid === job.metadata.uid);
    if (isKnown || finishedCondition(job)) continue;
    const message = `Saw a job that the controller did not create or forgot: ${job.metadata.name}`;
    events.push(warning("UnexpectedJob", message));
  }
  const successes = jobs.flatMap((job) =>
    finishedCondition(job)?.type === "Complete" ? job.status?.completionTime : [],
  );
  const [lastSuccessfulTime] = [...successes, status.lastSuccessfulTime]
    .flatMap((time) => time ?? [])
    .sort()
    .reverse();
  return { status: { ...status, active, ...(lastSuccessfulTime && { lastSuccessfulTime }) }, events };
}

/** Of the Jobs that ended, the oldest beyond the limits. */
function outdatedJobs({ spec }: CronJob, jobs: readonly Stored<Job>[]): Stored<Job>[] {
  const beyond = (type: string, limit: number | undefined) => {
    const ended = jobs.filter((job) => finishedCondition(job)?.type === type && !job.metadata.deletionTimestamp);
    return limit === undefined ? [] : [...ended].sort(byStart).slice(0, Math.max(0, ended.length - limit));
  };
  return [...beyond("Complete", spec?.successfulJobsHistoryLimit), ...beyond("Failed", spec?.failedJobsHistoryLimit)];
}

function byStart(a: Stored<Job>, b: Stored<Job>): number {
  const key = ({ metadata, status }: Stored<Job>) => `${status?.startTime ?? "~"} ${metadata.name}`;
  return key(a) < key(b) ? -1 : 1;
}

function isAmong(jobs: readonly Stored<Job>[], uid: string | undefined): boolean {
  return jobs.some(({ metadata }) => metadata.uid === uid);
}

function completed({ name }: ObjectReference, condition: string): RecordedEvent {
  return normal("SawCompletedJob", `Saw completed job: ${name}, condition: ${condition}`);
}

function normal(reason: string, message: string): RecordedEvent {
  return { type: "Normal", reason, message };
}

function warning(reason: string, message: string): RecordedEvent {
  return { type: "Warning", reason, message };
}
