import type { Stored } from "@etcd-operator/kubernetes-client";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import type { PodDisruptionBudget, PodDisruptionBudgetSpec } from "kubernetes-types/policy/v1.d.ts";
import { isReady } from "../pod-facts.ts";

type Status = NonNullable<PodDisruptionBudget["status"]>;

/** What the API server writes down when it lets a pod go counts until the pod is gone, but no longer than this. */
const DISRUPTION_TIMEOUT_MS = 120_000;

/** Whether the number of pods that there ought to be must be asked from their controllers. */
export function needsScale({ minAvailable, maxUnavailable }: PodDisruptionBudgetSpec): boolean {
  return maxUnavailable !== undefined || typeof minAvailable === "string";
}

/** How many pods may go; `expectedPods` is undefined when it cannot be known, and then none may. */
export function budgetStatus(
  budget: Stored<PodDisruptionBudget>,
  pods: readonly Stored<Pod>[],
  expectedPods: number | undefined,
  nowMs: number,
): Status {
  const disruptedPods = stillGoing(budget, pods, nowMs);
  const alive = pods.filter(({ metadata }) => !metadata.deletionTimestamp && !disruptedPods[metadata.name]);
  const currentHealthy = alive.filter(isReady).length;
  const expected = expectedPods ?? 0;
  const desiredHealthy = expectedPods === undefined ? 0 : desired(budget.spec ?? {}, expected);
  const disruptionsAllowed = expected <= 0 ? 0 : Math.max(0, currentHealthy - desiredHealthy);
  return {
    currentHealthy,
    desiredHealthy,
    expectedPods: expected,
    disruptionsAllowed,
    observedGeneration: budget.metadata.generation ?? 0,
    ...(Object.keys(disruptedPods).length > 0 && { disruptedPods }),
    conditions: [condition(budget, reasonOf(expectedPods, disruptionsAllowed), nowMs)],
  };
}

function desired({ minAvailable, maxUnavailable }: PodDisruptionBudgetSpec, expected: number): number {
  if (maxUnavailable !== undefined) return Math.max(0, expected - portion(maxUnavailable, expected));
  return portion(minAvailable ?? 1, expected);
}

function portion(value: number | string, of: number): number {
  return typeof value === "number" ? value : Math.ceil((Number.parseInt(value, 10) * of) / 100);
}

function stillGoing(
  { status }: PodDisruptionBudget,
  pods: readonly Stored<Pod>[],
  nowMs: number,
): Record<string, string> {
  const present = new Set(
    pods.filter(({ metadata }) => !metadata.deletionTimestamp).map(({ metadata }) => metadata.name),
  );
  return Object.fromEntries(
    Object.entries(status?.disruptedPods ?? {}).filter(
      ([name, since]) => present.has(name) && Date.parse(since) + DISRUPTION_TIMEOUT_MS > nowMs,
    ),
  );
}

function reasonOf(
  expectedPods: number | undefined,
  allowed: number,
): "SyncFailed" | "SufficientPods" | "InsufficientPods" {
  if (expectedPods === undefined) return "SyncFailed";
  return allowed > 0 ? "SufficientPods" : "InsufficientPods";
}

function condition(
  { metadata, status }: Stored<PodDisruptionBudget>,
  reason: ReturnType<typeof reasonOf>,
  nowMs: number,
): NonNullable<Status["conditions"]>[number] {
  const is = reason === "SufficientPods" ? "True" : "False";
  const old = status?.conditions?.find(({ type }) => type === "DisruptionAllowed");
  const now = new Date(nowMs).toISOString().replace(/\.\d+Z$/, "Z");
  return {
    type: "DisruptionAllowed",
    status: is,
    reason,
    message: reason === "SyncFailed" ? "cannot tell how many pods there ought to be: their owner has no scale" : "",
    lastTransitionTime: old?.status === is ? old.lastTransitionTime : now,
    observedGeneration: metadata.generation ?? 0,
  };
}
