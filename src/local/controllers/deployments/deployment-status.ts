import type { DeploymentCondition, DeploymentStatus } from "kubernetes-types/apps/v1.d.ts";
import { rfc3339 } from "../../../kubernetes/kube-time.ts";
import { nonZero } from "../workloads/non-zero.ts";
import { withCondition, withoutCondition } from "./deployment-conditions.ts";
import { progressing } from "./progress.ts";
import { allSets, leeway, type Rollout, sumOf, wantedReplicas } from "./rollout.ts";

/** The status of a Deployment: what its ReplicaSets count, and what can be said of it. */
export function deploymentStatus(rollout: Rollout, nowMs: number): DeploymentStatus {
  const status = countedStatus(rollout, nowMs);
  const { conditions = [], ...counts } = status;
  const progressed = progressing(rollout, status, nowMs);
  return nonZero<DeploymentStatus>({ ...counts, conditions: withFailure(rollout, progressed ?? conditions, nowMs) });
}

/** The same without a word on progress: what a paused or going Deployment gets. */
export function countedStatus(rollout: Rollout, nowMs: number): DeploymentStatus {
  const { deployment, newSet } = rollout;
  const sets = allSets(rollout);
  const availableReplicas = sumOf(sets, ({ status }) => status?.availableReplicas ?? 0);
  const atLeast = wantedReplicas(deployment) - leeway(deployment).unavailable;
  const condition = availability(availableReplicas >= atLeast, nowMs);
  return nonZero<DeploymentStatus>({
    observedGeneration: deployment.metadata.generation,
    replicas: sumOf(sets, ({ status }) => status?.replicas ?? 0),
    updatedReplicas: newSet?.status?.replicas,
    readyReplicas: sumOf(sets, ({ status }) => status?.readyReplicas ?? 0),
    availableReplicas,
    unavailableReplicas: Math.max(0, sumOf(sets, wantedReplicas) - availableReplicas),
    collisionCount: deployment.status?.collisionCount,
    conditions: withCondition(deployment.status?.conditions ?? [], condition),
  });
}

function availability(isAvailable: boolean, nowMs: number): DeploymentCondition {
  const now = rfc3339(nowMs);
  return {
    type: "Available",
    status: isAvailable ? "True" : "False",
    reason: isAvailable ? "MinimumReplicasAvailable" : "MinimumReplicasUnavailable",
    message: isAvailable ? "Deployment has minimum availability." : "Deployment does not have minimum availability.",
    lastUpdateTime: now,
    lastTransitionTime: now,
  };
}

/** That pods cannot be made or deleted is known by the ReplicaSet; the new one's trouble comes first. */
function withFailure(
  rollout: Rollout,
  conditions: readonly DeploymentCondition[],
  nowMs: number,
): DeploymentCondition[] {
  const { newSet, oldSets } = rollout;
  const failures = [...(newSet ? [newSet] : []), ...oldSets].flatMap(({ status }) =>
    (status?.conditions ?? []).filter(({ type }) => type === "ReplicaFailure"),
  );
  const [failure] = failures;
  if (!failure) return withoutCondition(conditions, "ReplicaFailure");
  const lastTransitionTime = failure.lastTransitionTime ?? rfc3339(nowMs);
  return withCondition(conditions, { ...failure, lastTransitionTime, lastUpdateTime: lastTransitionTime });
}
