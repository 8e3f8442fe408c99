import type { Stored } from "@etcd-operator/kubernetes-client";
import { parseTime, rfc3339 } from "@etcd-operator/kubernetes-client";
import type { Job, JobCondition, JobStatus } from "kubernetes-types/batch/v1.d.ts";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { isActive } from "../pod-facts.ts";

export interface JobPlan {
  readonly status: { readonly [Field in keyof JobStatus]: JobStatus[Field] | undefined };
  readonly toDelete: readonly Stored<Pod>[];
  /** How many pods to make. */
  readonly toCreate: number;
  /** When something is due that no event will tell. */
  readonly againInMs?: number | undefined;
}

interface Ending {
  readonly type: "Complete" | "Failed";
  readonly reason: string;
  readonly message: string;
}

const REACHED: Ending = {
  type: "Complete",
  reason: "CompletionsReached",
  message: "Reached expected number of succeeded pods",
};
const TOO_MANY_FAILURES: Ending = {
  type: "Failed",
  reason: "BackoffLimitExceeded",
  message: "Job has reached the specified backoff limit",
};
const TOO_LONG: Ending = {
  type: "Failed",
  reason: "DeadlineExceeded",
  message: "Job was active longer than specified deadline",
};

/** The pause after a failure, doubled by each further one up to the longest. */
const FIRST_PAUSE_MS = 10_000;
const LONGEST_PAUSE_MS = 600_000;

/** The condition that says that a Job has ended. */
export function endOf({ status }: Job): JobCondition | undefined {
  const isEnd = ({ type, status: is }: JobCondition) => (type === "Complete" || type === "Failed") && is === "True";
  return status?.conditions?.find(isEnd);
}

/** What to do about a Job that has not ended, and its status. */
export function planJob(job: Job, pods: readonly Stored<Pod>[], nowMs: number): JobPlan {
  const { completions = 1, parallelism = 1 } = job.spec ?? {};
  const active = pods.filter(isActive);
  const succeeded = pods.filter(({ status }) => status?.phase === "Succeeded").length;
  const failed = pods.filter(({ status }) => status?.phase === "Failed");
  const startMs = parseTime(job.status?.startTime) ?? nowMs;
  const counts = { startTime: rfc3339(startMs), succeeded, failed: failed.length };
  const deadlineMs = startMs + (job.spec?.activeDeadlineSeconds ?? Number.POSITIVE_INFINITY) * 1000;
  const ending = endingOf(job, succeeded, failed.length, deadlineMs <= nowMs);
  if (ending) {
    const now = rfc3339(nowMs);
    const conditions = [{ ...ending, status: "True", lastProbeTime: now, lastTransitionTime: now }];
    const completionTime = ending.type === "Complete" ? now : undefined;
    return { status: { ...counts, conditions, completionTime }, toDelete: active, toCreate: 0 };
  }
  const missing = Math.max(0, Math.min(parallelism, completions - succeeded) - active.length);
  const resumeMs = missing > 0 ? resumptionMs(failed) : nowMs;
  const soonestMs = resumeMs > nowMs ? Math.min(resumeMs, deadlineMs) : deadlineMs;
  return {
    status: { ...counts, active: active.length },
    toDelete: [],
    toCreate: resumeMs > nowMs ? 0 : missing,
    againInMs: Number.isFinite(soonestMs) ? soonestMs - nowMs : undefined,
  };
}

function endingOf({ spec }: Job, succeeded: number, failed: number, isLate: boolean): Ending | undefined {
  if (succeeded >= (spec?.completions ?? 1)) return REACHED;
  if (failed > (spec?.backoffLimit ?? 6)) return TOO_MANY_FAILURES;
  return isLate ? TOO_LONG : undefined;
}

/** From when on another pod may be made. */
function resumptionMs(failed: readonly Stored<Pod>[]): number {
  const pauseMs = failed.length > 0 ? Math.min(FIRST_PAUSE_MS * 2 ** (failed.length - 1), LONGEST_PAUSE_MS) : 0;
  return Math.max(0, ...failed.map(endMs)) + pauseMs;
}

function endMs({ metadata, status }: Stored<Pod>): number {
  const ends = (status?.containerStatuses ?? []).map(({ state }) => parseTime(state?.terminated?.finishedAt) ?? 0);
  return Math.max(parseTime(metadata.creationTimestamp) ?? 0, ...ends);
}
