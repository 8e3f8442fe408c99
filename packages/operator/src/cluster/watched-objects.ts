import type { InformerSet } from "@etcd-operator/controller-runtime";
import { fromInformer, type Source } from "@etcd-operator/controller-runtime";
import type { Informer, Resource } from "@etcd-operator/kubernetes-client";
import { byLabel, type KubeObject, keyOf, refOf, resources, type Stored } from "@etcd-operator/kubernetes-client";
import type { EtcdCluster } from "../api/etcd-cluster.ts";
import type { Scope } from "../context/controller-context.ts";
import { ownResources } from "../objects/own-resources.ts";
import type { Readers } from "./observe/kubernetes-source.ts";

/** The label that says whose an object is, as in coreos/etcd-operator. */
const clusterKeys = byLabel("etcd_cluster");
const OF_ANY_CLUSTER = { labelSelector: "app=etcd", indexers: { byCluster: clusterKeys } };

/** An informer of objects that belong to clusters, found by the cluster's key. */
export type OwnedInformer<T extends KubeObject> = Informer<T, "byCluster">;

/** Everything that the controller follows. */
export type WatchedObjects = ReturnType<typeof watchObjects>;

export function watchObjects(informers: Pick<InformerSet, "add">) {
  const owned = <T extends KubeObject>(resource: Resource<T>): OwnedInformer<T> =>
    informers.add(resource, OF_ANY_CLUSTER);
  return {
    clusters: informers.add(ownResources.etcdClusters),
    pods: owned(resources.pods),
    claims: owned(resources.persistentVolumeClaims),
    services: owned(resources.services),
    disruptionBudgets: owned(resources.podDisruptionBudgets),
  };
}

/** The cluster of a key, if it is there and covered. */
export function clusterOf(
  { clusters }: WatchedObjects,
  key: string,
  covers: Scope["covers"],
): Stored<EtcdCluster> | undefined {
  const cluster = clusters.cache.get(refOf(key));
  return cluster && covers(cluster) ? cluster : undefined;
}

/** The clusters of ours that own an object; not those whose label another client put on it. */
export function ownersOf(
  object: Stored,
  watched: WatchedObjects,
  covers: Scope["covers"],
): readonly Stored<EtcdCluster>[] {
  const owners = new Set(object.metadata.ownerReferences?.map(({ uid }) => uid));
  const clusters = clusterKeys(object).flatMap((key) => clusterOf(watched, key, covers) ?? []);
  return clusters.filter(({ metadata }) => owners.has(metadata.uid));
}

/** The caches, for their readers. */
export function readersOf(watched: WatchedObjects): Readers {
  const { clusters, pods, claims, services, disruptionBudgets } = watched;
  return {
    clusters: clusters.cache,
    pods: pods.cache,
    claims: claims.cache,
    services: services.cache,
    disruptionBudgets: disruptionBudgets.cache,
  };
}

/** What wakes a cluster: itself, and whatever carries its label. */
export function sourcesOf(watched: WatchedObjects, covers: Scope["covers"]): readonly Source[] {
  // A cluster that is not there yet comes with an event of its own.
  const keysOf = (object: Stored) => clusterKeys(object).filter((key) => clusterOf(watched, key, covers));
  return [
    fromInformer(watched.clusters, (cluster) => (covers(cluster) ? [keyOf(cluster.metadata)] : [])),
    fromInformer(watched.pods, keysOf),
    fromInformer(watched.claims, keysOf),
    fromInformer(watched.services, keysOf),
    fromInformer(watched.disruptionBudgets, keysOf),
  ];
}
