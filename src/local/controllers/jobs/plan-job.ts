import type { Job } from "kubernetes-types/batch/v1.d.ts";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import type { Stored } from "../../../kubernetes/kube-object.ts";
import { parseTime } from "../../../kubernetes/kube-time.ts";
import { isActive } from "../pod-facts.ts";
import { inDeletionOrder } from "../workloads/deletion-order.ts";
import { indexOf, isIndexed, pendingIndexes } from "./completion-indexes.ts";
import { decidedEnding, ENDINGS, type Ending } from "./job-conditions.ts";
import { type PodBackoff, remainingMs } from "./pod-backoff.ts";
import { isTerminating, type PodTally } from "./pod-tally.ts";

/** A Job, its pods and how they ended so far. */
export interface JobPicture {
  readonly job: Stored<Job>;
  readonly pods: readonly Stored<Pod>[];
  readonly tally: PodTally;
  readonly backoff: PodBackoff;
  readonly nowMs: number;
}

export interface JobPlan {
  readonly toDelete: readonly Stored<Pod>[];
  /** One entry per pod: its index, where pods have one. */
  readonly toCreate: readonly (number | undefined)[];
  readonly ending?: Ending | undefined;
  /** When something is due that no event will tell. */
  readonly againInMs?: number | undefined;
}

/** As many as one pass makes or deletes. */
const BURST = 500;

/** What to do about a Job that has not ended. */
export function planJob(picture: JobPicture): JobPlan {
  const { job, pods } = picture;
  const active = pods.filter(isActive);
  const ending = decidedEnding(job) ?? failureOf(picture);
  if (ending) return { toDelete: active, toCreate: [], ending };
  const deadline = deadlineInMs(picture);
  if (job.metadata.deletionTimestamp) return { toDelete: [], toCreate: [] };
  const { toDelete, missing } = numbersOf(picture, active);
  if (toDelete.length > 0) return { toDelete: toDelete.slice(0, BURST), toCreate: [], againInMs: deadline };
  if (missing <= 0) return { toDelete, toCreate: [], ending: successOf(picture, active), againInMs: deadline };
  const pauseMs = remainingMs(picture.backoff, picture.nowMs);
  const againInMs = pauseMs > 0 ? Math.min(pauseMs, deadline ?? pauseMs) : deadline;
  return { toDelete, toCreate: pauseMs > 0 ? [] : indexesFor(picture, Math.min(missing, BURST)), againInMs };
}

function failureOf(picture: JobPicture): Ending | undefined {
  const { job, tally, pods } = picture;
  const { backoffLimit = 6, template } = job.spec ?? {};
  if (tally.failed > backoffLimit) return ENDINGS.tooManyFailures;
  const restarts = template?.spec?.restartPolicy === "OnFailure" ? restartsOf(pods) : 0;
  // A limit of 0 still lets the first attempt run.
  if (restarts > 0 && restarts >= backoffLimit) return ENDINGS.tooManyFailures;
  const deadline = deadlineInMs(picture);
  return deadline !== undefined && deadline <= 0 ? ENDINGS.tooLong : undefined;
}

function deadlineInMs({ job, nowMs }: JobPicture): number | undefined {
  const { activeDeadlineSeconds, suspend } = job.spec ?? {};
  if (activeDeadlineSeconds === undefined || suspend) return undefined;
  return (parseTime(job.status?.startTime) ?? nowMs) + activeDeadlineSeconds * 1000 - nowMs;
}

function restartsOf(pods: readonly Stored<Pod>[]): number {
  const running = pods.filter(({ status }) => status?.phase === "Running" || status?.phase === "Pending");
  const statuses = running.flatMap(({ status }) => [
    ...(status?.initContainerStatuses ?? []),
    ...(status?.containerStatuses ?? []),
  ]);
  return statuses.reduce((sum, { restartCount }) => sum + restartCount, 0);
}

function successOf({ job, tally }: JobPicture, active: readonly Stored<Pod>[]): Ending | undefined {
  const needed = job.spec?.completions ?? 1;
  return tally.succeeded >= needed && active.length === 0 ? ENDINGS.reached : undefined;
}

function numbersOf(
  { job, pods, tally, nowMs }: JobPicture,
  active: readonly Stored<Pod>[],
): { toDelete: readonly Stored<Pod>[]; missing: number } {
  if (job.spec?.suspend) return { toDelete: active, missing: 0 };
  const wanted = wantedActive(job, tally, active.length);
  const useless = isIndexed(job) ? repeatedOrUnwanted(job, active) : [];
  const others = active.filter((pod) => !useless.includes(pod));
  const surplus = Math.max(0, others.length - wanted);
  const toDelete = [...useless, ...inDeletionOrder(others, [], nowMs).slice(0, surplus)];
  const waitedFor = job.spec?.podReplacementPolicy === "Failed" ? pods.filter(isTerminating).length : 0;
  return { toDelete, missing: wanted - waitedFor - active.length };
}

/** Without a number of completions, one success is enough, and who still runs may come to an end. */
function wantedActive({ spec }: Job, { succeeded }: PodTally, active: number): number {
  const { completions, parallelism = 1 } = spec ?? {};
  if (completions === undefined) return succeeded > 0 ? active : parallelism;
  return Math.max(0, Math.min(completions - succeeded, parallelism));
}

function repeatedOrUnwanted(job: Job, active: readonly Stored<Pod>[]): Stored<Pod>[] {
  const seen = new Set<number>();
  return active.filter((pod) => {
    const index = indexOf(job, pod);
    if (index === undefined || seen.has(index)) return true;
    seen.add(index);
    return false;
  });
}

function indexesFor({ job, pods, tally }: JobPicture, count: number): (number | undefined)[] {
  if (!isIndexed(job)) return Array.from({ length: count }, () => undefined);
  const waitedFor = job.spec?.podReplacementPolicy === "Failed" ? pods.filter(isTerminating) : [];
  return pendingIndexes(job, tally.doneIndexes, [...pods.filter(isActive), ...waitedFor], count);
}
