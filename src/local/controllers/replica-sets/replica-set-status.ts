import type { ReplicaSet, ReplicaSetCondition, ReplicaSetStatus } from "kubernetes-types/apps/v1.d.ts";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import type { Stored } from "../../../kubernetes/kube-object.ts";
import { rfc3339 } from "../../../kubernetes/kube-time.ts";
import { hasLabels } from "../../label-selector.ts";
import { readySinceMs } from "../pod-facts.ts";
import { nonZero } from "../workloads/non-zero.ts";

/** Why the number of pods could not be changed. */
export interface ScaleFailure {
  readonly reason: "FailedCreate" | "FailedDelete";
  readonly message: string;
}

/** The status of a ReplicaSet that has these pods, those that ended or are going left out. */
export function replicaSetStatus(
  set: Stored<ReplicaSet>,
  pods: readonly Stored<Pod>[],
  failure: ScaleFailure | undefined,
  nowMs: number,
): ReplicaSetStatus {
  const labels = set.spec?.template?.metadata?.labels ?? {};
  const counts = nonZero<ReplicaSetStatus>({
    replicas: undefined,
    fullyLabeledReplicas: pods.filter(({ metadata }) => hasLabels(metadata.labels, labels)).length,
    readyReplicas: pods.filter((pod) => readySinceMs(pod) !== undefined).length,
    availableReplicas: pods.filter((pod) => (availableInMs(set, pod, nowMs) ?? 1) <= 0).length,
    observedGeneration: set.metadata.generation,
    conditions: conditionsOf(set, failure, nowMs),
  });
  return { ...counts, replicas: pods.length };
}

/** When the next pod has been ready for long enough; undefined when none is on its way there. */
export function nextAvailableInMs(
  set: Stored<ReplicaSet>,
  pods: readonly Stored<Pod>[],
  nowMs: number,
): number | undefined {
  const waits = pods.flatMap((pod) => availableInMs(set, pod, nowMs) ?? []).filter((ms) => ms > 0);
  return waits.length > 0 ? Math.min(...waits) : undefined;
}

function availableInMs({ spec }: ReplicaSet, pod: Pod, nowMs: number): number | undefined {
  const since = readySinceMs(pod);
  if (since === undefined) return undefined;
  const { minReadySeconds = 0 } = spec ?? {};
  return minReadySeconds === 0 ? 0 : since + minReadySeconds * 1000 - nowMs;
}

function conditionsOf({ status }: ReplicaSet, failure: ScaleFailure | undefined, nowMs: number): ReplicaSetCondition[] {
  const old = status?.conditions ?? [];
  const others = old.filter(({ type }) => type !== "ReplicaFailure");
  if (!failure) return others;
  // The first failure is kept: later ones mostly say the same with another name in it.
  const present = old.find(({ type }) => type === "ReplicaFailure");
  const fresh = { type: "ReplicaFailure", status: "True", lastTransitionTime: rfc3339(nowMs), ...failure };
  return [...others, present ?? fresh];
}
