import type { Deployment, ReplicaSet } from "kubernetes-types/apps/v1.d.ts";
import type { Stored } from "../../../kubernetes/kube-object.ts";
import { isSameTemplate } from "./template-hash.ts";

/** A Deployment and its ReplicaSets: the one of the present template, and those of earlier ones. */
export interface Rollout {
  readonly deployment: Stored<Deployment>;
  readonly newSet: Stored<ReplicaSet> | undefined;
  readonly oldSets: readonly Stored<ReplicaSet>[];
}

export function rolloutOf(deployment: Stored<Deployment>, sets: readonly Stored<ReplicaSet>[]): Rollout {
  const template = deployment.spec?.template;
  const newSet = byAge(sets).find(({ spec }) => isSameTemplate(spec?.template, template));
  return { deployment, newSet, oldSets: sets.filter((set) => set !== newSet) };
}

export function allSets({ newSet, oldSets }: Rollout): Stored<ReplicaSet>[] {
  return newSet ? [...oldSets, newSet] : [...oldSets];
}

/** The oldest first. */
export function byAge(sets: readonly Stored<ReplicaSet>[]): Stored<ReplicaSet>[] {
  const key = ({ metadata }: Stored<ReplicaSet>) => `${metadata.creationTimestamp} ${metadata.name}`;
  return [...sets].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

export function wantedReplicas({ spec }: Deployment | ReplicaSet): number {
  return spec?.replicas ?? 1;
}

export function sumOf(sets: readonly Stored<ReplicaSet>[], count: (set: Stored<ReplicaSet>) => number): number {
  return sets.reduce((sum, set) => sum + count(set), 0);
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

function portion(value: number | string, of: number, round: (value: number) => number): number {
  return typeof value === "number" ? value : round((Number.parseInt(value, 10) * of) / 100);
}
