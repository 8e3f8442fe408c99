import type { EtcdCluster } from "../api/etcd-cluster.ts";
import type { EtcdRestore } from "../api/etcd-restore.ts";
import type { Scope } from "../controller/controller-context.ts";
import type { InformerSet } from "../controller/informer-set.ts";
import { fromInformer, type Source } from "../controller/source.ts";
import { keyOf, refOf, type Stored } from "../kubernetes/kube-object.ts";
import { resources } from "../kubernetes/resources.ts";

/** Everything that the controller follows. Pods are not: it takes a look at those of one cluster, and only while that is restored. */
export type WatchedObjects = ReturnType<typeof watchObjects>;

export function watchObjects(informers: Pick<InformerSet, "add">) {
  return {
    restores: informers.add(resources.etcdRestores, { indexers: { byCluster: clusterKeysOf } }),
    clusters: informers.add(resources.etcdClusters),
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

/** A restore is woken by its own changes, by those of its cluster, and by those of others that wait for the same cluster. */
export function sourcesOf(watched: WatchedObjects): readonly Source[] {
  const namedBy = (clusterKey: string) =>
    watched.restores.cache.byIndex("byCluster", clusterKey).map(({ metadata }) => keyOf(metadata));
  return [
    fromInformer<EtcdRestore>(watched.restores, (restore) => [
      keyOf(restore.metadata),
      ...clusterKeysOf(restore).flatMap(namedBy),
    ]),
    fromInformer<EtcdCluster>(watched.clusters, ({ metadata }) => namedBy(keyOf(metadata))),
  ];
}

/** An object from before there was a schema may have no such field. */
function clusterKeysOf({ metadata, spec }: Stored<EtcdRestore>): readonly string[] {
  const name = (spec as Partial<EtcdRestore["spec"]> | undefined)?.etcdCluster?.name;
  return name ? [keyOf({ namespace: metadata.namespace, name })] : [];
}
