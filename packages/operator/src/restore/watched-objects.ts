import type { InformerSet } from "@etcd-operator/controller-runtime";
import { fromInformer, type Source } from "@etcd-operator/controller-runtime";
import { keyOf, refOf, type Stored } from "@etcd-operator/kubernetes-client";
import type { EtcdCluster } from "../api/etcd-cluster.ts";
import type { EtcdRestore } from "../api/etcd-restore.ts";
import type { Scope } from "../context/controller-context.ts";
import { ownResources } from "../objects/own-resources.ts";
import { isFinal } from "./attempt.ts";
import { hasFinalizer } from "./finalizer.ts";

/**
 * Everything that the controller watches. Pods are not watched: those of one cluster are read, and only while it is
 * restored.
 */
export type WatchedObjects = ReturnType<typeof watchObjects>;

export function watchObjects(informers: Pick<InformerSet, "add">) {
  return {
    restores: informers.add(ownResources.etcdRestores, { indexers: { byCluster: clusterKeysOf } }),
    clusters: informers.add(ownResources.etcdClusters),
  };
}

/** The restore of a key, if it is there and covered. */
export function restoreOf(
  { restores }: WatchedObjects,
  key: string,
  covers: Scope["covers"],
): Stored<EtcdRestore> | undefined {
  const restore = restores.cache.get(refOf(key));
  return restore && covers(restore) ? restore : undefined;
}

/**
 * A restore is woken by its own changes and, until it is over, by those of its cluster and of others that wait for the
 * same cluster: those that are over may be many.
 */
export function sourcesOf(watched: WatchedObjects): readonly Source[] {
  const namedBy = (clusterKey: string) => {
    const named = watched.restores.cache.byIndex("byCluster", clusterKey);
    return named.filter((restore) => !isOver(restore)).map(({ metadata }) => keyOf(metadata));
  };
  return [
    fromInformer<EtcdRestore>(watched.restores, (restore) => [
      keyOf(restore.metadata),
      ...clusterKeysOf(restore).flatMap(namedBy),
    ]),
    fromInformer<EtcdCluster>(watched.clusters, ({ metadata }) => namedBy(keyOf(metadata))),
  ];
}

/** Nothing is left to do for it, nor to roll back. */
function isOver(restore: Stored<EtcdRestore>): boolean {
  return isFinal(restore) && !hasFinalizer(restore);
}

/** An object from before there was a schema may have no such field. */
function clusterKeysOf({ metadata, spec }: Stored<EtcdRestore>): readonly string[] {
  const name = (spec as Partial<EtcdRestore["spec"]> | undefined)?.etcdCluster?.name;
  return name ? [keyOf({ namespace: metadata.namespace, name })] : [];
}
