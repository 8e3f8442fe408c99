import type { Deployment, ReplicaSet } from "kubernetes-types/apps/v1.d.ts";
import type { Stored } from "../../../kubernetes/kube-object.ts";
import { DESIRED_REPLICAS, MAX_REPLICAS, REVISION, REVISION_HISTORY } from "./deployment-names.ts";
import { leeway, wantedReplicas } from "./rollout.ts";

/** Annotations that a ReplicaSet does not take over from its Deployment. */
const OWN_ANNOTATIONS: ReadonlySet<string> = new Set([
  "kubectl.kubernetes.io/last-applied-configuration",
  "deprecated.deployment.rollback.to",
  REVISION,
  REVISION_HISTORY,
  DESIRED_REPLICAS,
  MAX_REPLICAS,
]);

type Annotations = Readonly<Record<string, string>>;

export function revisionOf({ metadata }: Stored<ReplicaSet>): number {
  return Number(metadata.annotations?.[REVISION]) || 0;
}

export function nextRevision(oldSets: readonly Stored<ReplicaSet>[]): number {
  return Math.max(0, ...oldSets.map(revisionOf)) + 1;
}

/**
 * The annotations of the new ReplicaSet. One that was there before, and is new again because somebody rolled back to it, gets a
 * number of its own and remembers the old one.
 */
export function annotationsOfNewSet(deployment: Stored<Deployment>, set: Annotations, revision: number): Annotations {
  const taken = Object.entries(deployment.metadata.annotations ?? {}).filter(([key]) => !OWN_ANNOTATIONS.has(key));
  const annotations = { ...set, ...Object.fromEntries(taken) };
  const before = set[REVISION];
  if ((Number(before) || 0) >= revision) return annotations;
  const history = before ? [...(set[REVISION_HISTORY]?.split(",") ?? []), before] : [];
  return {
    ...annotations,
    [REVISION]: String(revision),
    ...(history.length > 0 && { [REVISION_HISTORY]: history.join(",") }),
  };
}

/** What a ReplicaSet knows of its Deployment's size, for whoever has to share it out later. */
export function sizeAnnotations(deployment: Deployment): Annotations {
  const replicas = wantedReplicas(deployment);
  const most = replicas + leeway(deployment).surge;
  return { [DESIRED_REPLICAS]: String(replicas), [MAX_REPLICAS]: String(most) };
}

/** The ReplicaSets that are beyond the limit of the history: of those that have nothing left, the oldest. */
export function outdatedSets({ spec }: Deployment, oldSets: readonly Stored<ReplicaSet>[]): Stored<ReplicaSet>[] {
  const limit = spec?.revisionHistoryLimit;
  if (limit === undefined) return [];
  const staying = oldSets.filter(({ metadata }) => !metadata.deletionTimestamp);
  const surplus = [...staying]
    .sort((a, b) => revisionOf(a) - revisionOf(b))
    .slice(0, Math.max(0, staying.length - limit));
  return surplus.filter(({ metadata, spec: wanted, status }) => {
    const isSeen = (metadata.generation ?? 0) <= (status?.observedGeneration ?? 0);
    return isSeen && wanted?.replicas === 0 && status?.replicas === 0;
  });
}
