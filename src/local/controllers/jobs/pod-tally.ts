import type { Job, UncountedTerminatedPods } from "kubernetes-types/batch/v1.d.ts";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import type { Stored } from "../../../kubernetes/kube-object.ts";
import { isFinished } from "../pod-facts.ts";
import { indexOf, isIndexed, parseIndexes } from "./completion-indexes.ts";
import { TRACKING_FINALIZER } from "./job-names.ts";

/**
 * How many of a Job's pods have ended, each counted once: a pod that ended is first listed by its uid, then loses the finalizer that
 * keeps it, and is counted when it is seen without.
 */
export interface PodTally {
  /** As the status is to have them: without the pods whose end is listed and not yet counted. */
  readonly counted: { readonly succeeded: number; readonly failed: number };
  readonly uncounted: { readonly succeeded: readonly string[]; readonly failed: readonly string[] };
  /** Ended since the last pass. */
  readonly newSucceeded: readonly Stored<Pod>[];
  readonly newFailed: readonly Stored<Pod>[];
  /** All of them, however far their counting is. */
  readonly succeeded: number;
  readonly failed: number;
  readonly doneIndexes: ReadonlySet<number>;
}

export function podTally(job: Stored<Job>, pods: readonly Stored<Pod>[]): PodTally {
  const { succeeded = 0, failed = 0, completedIndexes, uncountedTerminatedPods } = job.status ?? {};
  const held = new Set(pods.filter(isTracked).map(({ metadata }) => metadata.uid));
  const before = { succeeded: uncountedTerminatedPods?.succeeded ?? [], failed: uncountedTerminatedPods?.failed ?? [] };
  const listed = new Set([...before.succeeded, ...before.failed]);
  const fresh = pods.filter((pod) => isTracked(pod) && !listed.has(pod.metadata.uid));
  const newFailed = fresh.filter((pod) => isFailed(job, pod) && isWanted(job, pod));
  const ended = fresh.filter(({ status }) => status?.phase === "Succeeded");
  const doneBefore = parseIndexes(completedIndexes, job.spec?.completions ?? 0);
  const newIndexes = isIndexed(job) ? ended.flatMap((pod) => indexOf(job, pod) ?? []) : [];
  const doneIndexes = new Set([...doneBefore, ...newIndexes]);
  const uncounted = {
    succeeded: [...before.succeeded.filter((uid) => held.has(uid)), ...(isIndexed(job) ? [] : uidsOf(ended))],
    failed: [...before.failed.filter((uid) => held.has(uid)), ...uidsOf(newFailed)],
  };
  const counted = {
    succeeded: isIndexed(job) ? doneIndexes.size : succeeded + gone(before.succeeded, held),
    failed: failed + gone(before.failed, held),
  };
  return {
    counted,
    uncounted,
    newSucceeded: ended,
    newFailed,
    succeeded: counted.succeeded + uncounted.succeeded.length,
    failed: counted.failed + uncounted.failed.length,
    doneIndexes,
  };
}

export function isTracked({ metadata }: Stored<Pod>): boolean {
  return metadata.finalizers?.includes(TRACKING_FINALIZER) ?? false;
}

/** A pod that is deleted before its end counts as failed, unless the Job wants to be sure of its end. */
export function isFailed({ spec }: Job, { metadata, status }: Stored<Pod>): boolean {
  if (status?.phase === "Failed") return true;
  if (spec?.podReplacementPolicy === "Failed") return false;
  return metadata.deletionTimestamp !== undefined && status?.phase !== "Succeeded";
}

export function isTerminating(pod: Stored<Pod>): boolean {
  return pod.metadata.deletionTimestamp !== undefined && !isFinished(pod);
}

function isWanted(job: Job, pod: Stored<Pod>): boolean {
  return !isIndexed(job) || indexOf(job, pod) !== undefined;
}

function gone(uids: NonNullable<UncountedTerminatedPods["failed"]>, held: ReadonlySet<string>): number {
  return uids.filter((uid) => !held.has(uid)).length;
}

function uidsOf(pods: readonly Stored<Pod>[]): string[] {
  return pods.map(({ metadata }) => metadata.uid);
}
