import type { JobStatus } from "kubernetes-types/batch/v1.d.ts";
import { rfc3339 } from "../../../kubernetes/kube-time.ts";
import { isActive, isReady } from "../pod-facts.ts";
import { nonZero } from "../workloads/non-zero.ts";
import { formatIndexes, isIndexed } from "./completion-indexes.ts";
import {
  decidedEnding,
  finalCondition,
  interimCondition,
  suspendCondition,
  withJobCondition,
} from "./job-conditions.ts";
import type { JobPicture, JobPlan } from "./plan-job.ts";
import { isTerminating } from "./pod-tally.ts";

/** The status after a plan was carried out; `picture` has the pods as they are then. */
export function jobStatus(picture: JobPicture, { ending }: Pick<JobPlan, "ending">): JobStatus {
  const { job, pods, tally, nowMs } = picture;
  const active = pods.filter(isActive);
  const terminating = pods.filter(isTerminating).length;
  const { succeeded, failed } = tally.uncounted;
  const isSettled = succeeded.length + failed.length + terminating + active.length === 0;
  // In a write of its own, after the interim condition: that is what tells others that nothing will start any more.
  const isOver = ending !== undefined && decidedEnding(job) !== undefined && isSettled;
  const suspended = ending ? undefined : suspendCondition(job, nowMs);
  const final = ending && isOver ? finalCondition(ending, nowMs) : undefined;
  const added = [
    ...(suspended ? [suspended] : []),
    ...(ending && !decidedEnding(job) ? [interimCondition(ending, nowMs)] : []),
    ...(final ? [final] : []),
  ];
  const counts = nonZero<JobStatus>({
    conditions: added.reduce(withJobCondition, job.status?.conditions ?? []),
    startTime: startTimeOf(picture, suspended?.status === "False"),
    completionTime: final?.type === "Complete" ? rfc3339(nowMs) : undefined,
    active: active.length,
    succeeded: tally.counted.succeeded,
    failed: tally.counted.failed,
    completedIndexes: isIndexed(job) ? formatIndexes(tally.doneIndexes) : undefined,
  });
  const uncountedTerminatedPods = nonZero<{ succeeded: string[]; failed: string[] }>({
    succeeded: [...succeeded],
    failed: [...failed],
  });
  return { ...counts, uncountedTerminatedPods, ready: active.filter(isReady).length, terminating };
}

/** A Job that is resumed starts anew: its deadline counts from there. */
function startTimeOf({ job, nowMs }: JobPicture, isResumed: boolean): string | undefined {
  const started = job.status?.startTime;
  if (isResumed) return rfc3339(nowMs);
  return started ?? (job.spec?.suspend ? undefined : rfc3339(nowMs));
}
