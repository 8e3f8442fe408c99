import type { Deployment, DeploymentCondition, DeploymentStatus } from "kubernetes-types/apps/v1.d.ts";
import type { Stored } from "../../../kubernetes/kube-object.ts";
import { parseTime, rfc3339 } from "../../../kubernetes/kube-time.ts";
import { conditionOf, withCondition, withoutCondition } from "./deployment-conditions.ts";
import { type Rollout, wantedReplicas } from "./rollout.ts";

const DONE = "NewReplicaSetAvailable";
const TIMED_OUT = "ProgressDeadlineExceeded";
/** What stands for "no deadline" in manifests. */
const NEVER = 2_147_483_647;

export function hasDeadline({ spec }: Deployment): boolean {
  const { progressDeadlineSeconds } = spec ?? {};
  return progressDeadlineSeconds !== undefined && progressDeadlineSeconds !== NEVER;
}

export function isComplete(
  { metadata, ...deployment }: Stored<Deployment>,
  status: DeploymentStatus | undefined,
): boolean {
  const wanted = wantedReplicas(deployment);
  const counts = [status?.updatedReplicas, status?.replicas, status?.availableReplicas];
  const isSeen = (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0);
  return isSeen && counts.every((count = 0) => count === wanted);
}

/** The conditions with what is to be said of progress; undefined where it stays as it is. */
export function progressing(
  { deployment, newSet }: Rollout,
  status: DeploymentStatus,
  nowMs: number,
): DeploymentCondition[] | undefined {
  const conditions = status.conditions ?? [];
  if (!hasDeadline(deployment)) return withoutCondition(conditions, "Progressing");
  const present = conditionOf(deployment.status?.conditions, "Progressing");
  const wasDone = present?.reason === DONE && (status.replicas ?? 0) === (status.updatedReplicas ?? 0);
  if (wasDone) return undefined;
  const subject = newSet ? `ReplicaSet "${newSet.metadata.name}"` : `Deployment "${deployment.metadata.name}"`;
  if (isComplete(deployment, status)) {
    const done = progressCondition("True", DONE, `${subject} has successfully progressed.`, nowMs);
    return withCondition(conditions, done);
  }
  if (hasProgressed(deployment.status ?? {}, status)) {
    const moving = progressCondition("True", "ReplicaSetUpdated", `${subject} is progressing.`, nowMs);
    const since = present?.status === "True" && present.lastTransitionTime;
    // Anew, so that the deadline counts from here.
    return [...withoutCondition(conditions, "Progressing"), { ...moving, ...(since && { lastTransitionTime: since }) }];
  }
  if (isTimedOut(deployment, present, nowMs)) {
    const late = progressCondition("False", TIMED_OUT, `${subject} has timed out progressing.`, nowMs);
    return withCondition(conditions, late);
  }
  return undefined;
}

export function progressCondition(
  status: "True" | "False" | "Unknown",
  reason: string,
  message: string,
  nowMs: number,
): DeploymentCondition {
  const now = rfc3339(nowMs);
  return { type: "Progressing", status, reason, message, lastUpdateTime: now, lastTransitionTime: now };
}

/** A Deployment that is paused, or was, has no deadline running; undefined where nothing is to be said of that. */
export function pauseCondition(deployment: Stored<Deployment>, nowMs: number): DeploymentCondition | undefined {
  const present = conditionOf(deployment.status?.conditions, "Progressing");
  if (!hasDeadline(deployment) || present?.reason === TIMED_OUT) return undefined;
  const wasPaused = present?.reason === "DeploymentPaused";
  const isPaused = deployment.spec?.paused === true;
  if (isPaused === wasPaused) return undefined;
  return isPaused
    ? progressCondition("Unknown", "DeploymentPaused", "Deployment is paused", nowMs)
    : progressCondition("Unknown", "DeploymentResumed", "Deployment is resumed", nowMs);
}

/** When to look again whether a rollout is stuck; undefined when it is done, or known to be. */
export function deadlineInMs(
  deployment: Stored<Deployment>,
  status: DeploymentStatus,
  nowMs: number,
): number | undefined {
  const present = conditionOf(status.conditions, "Progressing");
  if (!hasDeadline(deployment) || !present || deployment.spec?.paused) return undefined;
  if (present.reason === TIMED_OUT || present.reason === DONE) return undefined;
  // A second more: times are whole seconds.
  return Math.max(0, deadlineMs(deployment, present) - nowMs) + 1000;
}

function hasProgressed(
  old: DeploymentStatus,
  { replicas = 0, updatedReplicas = 0, ...status }: DeploymentStatus,
): boolean {
  const isMore = (field: "readyReplicas" | "availableReplicas") => (status[field] ?? 0) > (old[field] ?? 0);
  const oldOnes = (old.replicas ?? 0) - (old.updatedReplicas ?? 0);
  const isUpdated = updatedReplicas > (old.updatedReplicas ?? 0) || replicas - updatedReplicas < oldOnes;
  return isUpdated || isMore("readyReplicas") || isMore("availableReplicas");
}

function isTimedOut(deployment: Deployment, present: DeploymentCondition | undefined, nowMs: number): boolean {
  if (!present || present.reason === DONE) return false;
  return present.reason === TIMED_OUT || deadlineMs(deployment, present) < nowMs;
}

function deadlineMs({ spec }: Deployment, { lastUpdateTime }: DeploymentCondition): number {
  return (parseTime(lastUpdateTime) ?? 0) + (spec?.progressDeadlineSeconds ?? 0) * 1000;
}
