import type { Job, JobCondition } from "kubernetes-types/batch/v1.d.ts";
import { rfc3339 } from "../../../kubernetes/kube-time.ts";

/** How a Job ends; told in two steps, the second when all its pods are gone and counted. */
export interface Ending {
  readonly isSuccess: boolean;
  readonly reason: string;
  readonly message: string;
}

const REACHED: Ending = {
  isSuccess: true,
  reason: "CompletionsReached",
  message: "Reached expected number of succeeded pods",
};
export const ENDINGS = {
  reached: REACHED,
  tooManyFailures: failure("BackoffLimitExceeded", "Job has reached the specified backoff limit"),
  tooLong: failure("DeadlineExceeded", "Job was active longer than specified deadline"),
};

/** The condition that says that a Job has ended. */
export function finishedCondition({ status }: Job): JobCondition | undefined {
  return status?.conditions?.find(
    ({ type, status: is }) => (type === "Complete" || type === "Failed") && is === "True",
  );
}

/** The ending that was decided on in an earlier pass. */
export function decidedEnding(job: Job): Ending | undefined {
  const success = trueCondition(job, "SuccessCriteriaMet");
  const decided = success ?? trueCondition(job, "FailureTarget");
  return decided && { isSuccess: success !== undefined, reason: decided.reason ?? "", message: decided.message ?? "" };
}

export function interimCondition(ending: Ending, nowMs: number): JobCondition {
  return jobCondition(ending.isSuccess ? "SuccessCriteriaMet" : "FailureTarget", "True", ending, nowMs);
}

export function finalCondition(ending: Ending, nowMs: number): JobCondition {
  return jobCondition(ending.isSuccess ? "Complete" : "Failed", "True", ending, nowMs);
}

/** Undefined where it is said already, or goes without saying: a Job that was never suspended was not resumed. */
export function suspendCondition(job: Job, nowMs: number): JobCondition | undefined {
  const isSuspended = job.spec?.suspend === true;
  const present = job.status?.conditions?.find(({ type }) => type === "Suspended");
  const wanted = isSuspended ? "True" : "False";
  if (present ? present.status === wanted : !isSuspended) return undefined;
  const words = isSuspended
    ? { reason: "JobSuspended", message: "Job suspended" }
    : { reason: "JobResumed", message: "Job resumed" };
  return jobCondition("Suspended", wanted, words, nowMs);
}

/** In its place where there is one of the type, else at the end. */
export function withJobCondition(conditions: readonly JobCondition[], condition: JobCondition): JobCondition[] {
  const isThere = conditions.some(({ type }) => type === condition.type);
  if (!isThere) return [...conditions, condition];
  return conditions.map((present) => (present.type === condition.type ? condition : present));
}

function trueCondition({ status }: Job, wanted: string): JobCondition | undefined {
  return status?.conditions?.find(({ type, status: is }) => type === wanted && is === "True");
}

function jobCondition(
  type: string,
  status: "True" | "False",
  { reason, message }: { readonly reason: string; readonly message: string },
  nowMs: number,
): JobCondition {
  const now = rfc3339(nowMs);
  return { type, status, reason, message, lastProbeTime: now, lastTransitionTime: now };
}

function failure(reason: string, message: string): Ending {
  return { isSuccess: false, reason, message };
}
