import type { ReplicaSet } from "kubernetes-types/apps/v1.d.ts";
import type { Stored } from "../../../kubernetes/kube-object.ts";
import { DESIRED_REPLICAS, MAX_REPLICAS } from "./deployment-names.ts";
import { allSets, byAge, leeway, type Rollout, sumOf, wantedReplicas } from "./rollout.ts";

export interface Scaling {
  readonly set: Stored<ReplicaSet>;
  readonly replicas: number;
}

const available = ({ status }: ReplicaSet) => status?.availableReplicas ?? 0;
const isActiveSet = (set: ReplicaSet) => wantedReplicas(set) > 0;

/** The next step of a rolling update: first more of the new, then fewer of the old. */
export function rollingStep(rollout: Rollout): Scaling[] {
  const { newSet } = rollout;
  if (!newSet) return [];
  const replicas = newSetReplicas(rollout);
  return replicas === wantedReplicas(newSet) ? scaleDownOld(rollout, newSet) : [{ set: newSet, replicas }];
}

/** How many pods the new ReplicaSet may have now; also for one that is yet to be made. */
export function newSetReplicas(rollout: Rollout): number {
  const { deployment, newSet } = rollout;
  const wanted = wantedReplicas(deployment);
  if (deployment.spec?.strategy?.type !== "RollingUpdate") return wanted;
  const present = newSet ? wantedReplicas(newSet) : 0;
  if (present >= wanted) return wanted;
  const room = wanted + leeway(deployment).surge - sumOf(allSets(rollout), wantedReplicas);
  return room <= 0 ? present : present + Math.min(room, wanted - present);
}

/** Pods that do not work cost nothing, so they go first. */
function scaleDownOld({ deployment, oldSets }: Rollout, newSet: Stored<ReplicaSet>): Scaling[] {
  const atLeast = wantedReplicas(deployment) - leeway(deployment).unavailable;
  const newUnavailable = wantedReplicas(newSet) - available(newSet);
  let removable = sumOf([...oldSets, newSet], wantedReplicas) - atLeast - newUnavailable;
  if (removable <= 0) return [];
  const sizes = new Map(byAge(oldSets).map((set) => [set, wantedReplicas(set)]));
  for (const [set, size] of sizes) {
    const unhealthy = Math.min(removable, size - available(set));
    if (unhealthy <= 0) continue;
    removable -= unhealthy;
    sizes.set(set, size - unhealthy);
  }
  let spare = sumOf([...oldSets, newSet], available) - atLeast;
  for (const [set, size] of sizes) {
    const step = Math.min(size, Math.max(0, spare));
    spare -= step;
    sizes.set(set, size - step);
  }
  return changed([...sizes].map(([set, replicas]) => ({ set, replicas })));
}

/** What follows from a changed number of replicas alone; in the middle of a rollout every ReplicaSet gets its share. */
export function sharedScalings(rollout: Rollout): Scaling[] {
  const { deployment, newSet, oldSets } = rollout;
  const wanted = wantedReplicas(deployment);
  const active = allSets(rollout).filter(isActiveSet);
  if (active.length <= 1) {
    const only = active[0] ?? newSet ?? byAge(oldSets).at(-1);
    return only ? changed([{ set: only, replicas: wanted }]) : [];
  }
  if (newSet && isSaturated(newSet, wanted)) {
    return oldSets.filter(isActiveSet).map((set) => ({ set, replicas: 0 }));
  }
  return deployment.spec?.strategy?.type === "RollingUpdate" ? proportionalScalings(rollout, active) : [];
}

function isSaturated(set: Stored<ReplicaSet>, wanted: number): boolean {
  const desired = Number(set.metadata.annotations?.[DESIRED_REPLICAS]);
  return wantedReplicas(set) === wanted && desired === wanted && available(set) === wanted;
}

/** The largest takes what rounding leaves over. Sizes that stay are listed too: their annotations follow the Deployment. */
function proportionalScalings({ deployment }: Rollout, active: readonly Stored<ReplicaSet>[]): Scaling[] {
  const wanted = wantedReplicas(deployment);
  const allowed = wanted > 0 ? wanted + leeway(deployment).surge : 0;
  const missing = allowed - sumOf(active, wantedReplicas);
  const ordered = bySize(active, missing > 0 ? "newer first" : "older first");
  let added = 0;
  const scalings = ordered.map((set) => {
    const share = missing === 0 ? 0 : within(shareOf(set, deployment, allowed), missing - added);
    added += share;
    return { set, replicas: wantedReplicas(set) + share };
  });
  return scalings.map(({ set, replicas }, index) => {
    return { set, replicas: index === 0 ? Math.max(0, replicas + missing - added) : replicas };
  });
}

function shareOf(set: Stored<ReplicaSet>, deployment: Rollout["deployment"], allowed: number): number {
  const size = wantedReplicas(set);
  if (wantedReplicas(deployment) === 0) return -size;
  const before = Number(set.metadata.annotations?.[MAX_REPLICAS]) || deployment.status?.replicas || allowed;
  return Math.round((size * allowed) / before) - size;
}

function within(share: number, allowed: number): number {
  return allowed > 0 ? Math.min(share, allowed) : Math.max(share, allowed);
}

function bySize(sets: readonly Stored<ReplicaSet>[], age: "newer first" | "older first"): Stored<ReplicaSet>[] {
  const ordered = age === "older first" ? byAge(sets) : byAge(sets).reverse();
  return ordered.sort((a, b) => wantedReplicas(b) - wantedReplicas(a));
}

function changed(scalings: readonly Scaling[]): Scaling[] {
  return scalings.filter(({ set, replicas }) => replicas !== wantedReplicas(set));
}
