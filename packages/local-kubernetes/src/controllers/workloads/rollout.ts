import type { Deployment, ReplicaSet } from "kubernetes-types/apps/v1.d.ts";

/** How many pods a Deployment's ReplicaSets are to have next. */
export interface NextSizes {
  readonly newSize: number;
  /** In the order of the old ReplicaSets. */
  readonly oldSizes: readonly number[];
}

/**
 * The next step of a rolling update: more of the new as there is room, and fewer of the old as the new become
 * available.
 */
export function rollingStep(
  deployment: Deployment,
  newSet: ReplicaSet | undefined,
  oldSets: readonly ReplicaSet[],
): NextSizes {
  const wanted = sizeOf(deployment);
  const { surge, unavailable } = leeway(deployment);
  const old = oldSets.reduce((sum, set) => sum + sizeOf(set), 0);
  const present = newSet ? sizeOf(newSet) : 0;
  const newSize = Math.min(wanted, Math.max(present, wanted + surge - old));
  const needed = Math.max(0, wanted - unavailable - availableOf(newSet));
  let surplus = Math.max(0, old - needed);
  const sizes = new Map<ReplicaSet, number>();
  // Pods that do not work cost nothing, so they go first.
  for (const set of [...oldSets].sort((a, b) => availableOf(a) - availableOf(b))) {
    const size = Math.max(0, sizeOf(set) - surplus);
    surplus -= sizeOf(set) - size;
    sizes.set(set, size);
  }
  return { newSize, oldSizes: oldSets.map((set) => sizes.get(set) ?? 0) };
}

/** All of the old go before any of the new comes. */
export function recreation(
  deployment: Deployment,
  newSet: ReplicaSet | undefined,
  oldSets: readonly ReplicaSet[],
  hasOldPods: boolean,
): NextSizes {
  const newSize = hasOldPods ? sizeOf(newSet ?? { spec: { replicas: 0, selector: {} } }) : sizeOf(deployment);
  return { newSize, oldSizes: oldSets.map(() => 0) };
}

export function sizeOf({ spec }: Deployment | ReplicaSet): number {
  return spec?.replicas ?? 1;
}

/** How many pods more, and how many fewer, a rollout may have on its way; one of them is at least one. */
export function leeway({ spec }: Deployment): { readonly surge: number; readonly unavailable: number } {
  const { strategy, replicas = 1 } = spec ?? {};
  if (strategy?.type !== "RollingUpdate") return { surge: 0, unavailable: 0 };
  const { maxSurge = "25%", maxUnavailable = "25%" } = strategy.rollingUpdate ?? {};
  const surge = portion(maxSurge, replicas, Math.ceil);
  const unavailable = portion(maxUnavailable, replicas, Math.floor);
  const atLeast = surge === 0 && unavailable === 0 ? 1 : unavailable;
  return { surge, unavailable: Math.min(atLeast, replicas) };
}

function availableOf(set: ReplicaSet | undefined): number {
  return set?.status?.availableReplicas ?? 0;
}

function portion(value: number | string, of: number, round: (value: number) => number): number {
  return typeof value === "number" ? value : round((Number.parseInt(value, 10) * of) / 100);
}
