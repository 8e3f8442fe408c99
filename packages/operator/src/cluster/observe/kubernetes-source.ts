import type { CacheReader, KubeClient, Resource } from "@etcd-operator/kubernetes-client";
import {
  hasCode,
  type KubeObject,
  keyOf,
  type ObjectRef,
  resources,
  type Stored,
} from "@etcd-operator/kubernetes-client";
import type { Node, PersistentVolumeClaim, Pod, Secret, Service } from "kubernetes-types/core/v1.d.ts";
import type { PodDisruptionBudget } from "kubernetes-types/policy/v1.d.ts";
import { labelSelector } from "../../api/cluster/cluster-names.ts";
import type { EtcdBackup } from "../../api/etcd-backup.ts";
import type { EtcdCluster } from "../../api/etcd-cluster.ts";
import type { EtcdRestore } from "../../api/etcd-restore.ts";
import { ownResources } from "../../objects/own-resources.ts";

/** The caches of a controller of clusters. They hold what bears our labels; "byCluster" is the label `etcd_cluster`. */
export interface Readers {
  readonly clusters: Pick<CacheReader<EtcdCluster>, "get">;
  readonly pods: Pick<CacheReader<Pod, "byCluster">, "byIndex">;
  readonly claims: Pick<CacheReader<PersistentVolumeClaim, "byCluster">, "byIndex">;
  readonly services: Pick<CacheReader<Service>, "get">;
  readonly disruptionBudgets: Pick<CacheReader<PodDisruptionBudget>, "get">;
}

/** Where the objects of one cluster are read. Undefined: there is none. */
export interface Source {
  cluster(): Promise<Stored<EtcdCluster> | undefined>;
  /** All that have the labels of the cluster, whatever their owner is. */
  pods(): Promise<readonly Stored<Pod>[]>;
  claims(): Promise<readonly Stored<PersistentVolumeClaim>[]>;
  /** Also one without the labels. */
  claim(name: string): Promise<Stored<PersistentVolumeClaim> | undefined>;
  service(name: string): Promise<Stored<Service> | undefined>;
  disruptionBudget(name: string): Promise<Stored<PodDisruptionBudget> | undefined>;
  nodes(): Promise<readonly Stored<Node>[]>;
  /** Those of the cluster's namespace. */
  backups(): Promise<readonly Stored<EtcdBackup>[]>;
  backup(name: string): Promise<Stored<EtcdBackup> | undefined>;
  restore(name: string): Promise<Stored<EtcdRestore> | undefined>;
  secret(name: string): Promise<Stored<Secret> | undefined>;
}

/** The API server itself. */
export function liveSource(client: Pick<KubeClient, "get" | "list">, cluster: ObjectRef, signal: AbortSignal): Source {
  const { namespace } = cluster;
  const find = async <T extends KubeObject>(resource: Resource<T>, name: string): Promise<Stored<T> | undefined> => {
    try {
      return await client.get(resource, { namespace, name }, { signal });
    } catch (error) {
      if (hasCode(error, "not-found")) return undefined;
      throw error;
    }
  };
  const labelled = async <T extends KubeObject>(resource: Resource<T>): Promise<readonly Stored<T>[]> =>
    (await client.list(resource, { namespace, labelSelector: labelSelector(cluster.name), signal })).items;
  return {
    cluster: () => find(ownResources.etcdClusters, cluster.name),
    pods: () => labelled(resources.pods),
    claims: () => labelled(resources.persistentVolumeClaims),
    claim: (name) => find(resources.persistentVolumeClaims, name),
    service: (name) => find(resources.services, name),
    disruptionBudget: (name) => find(resources.podDisruptionBudgets, name),
    nodes: async () => (await client.list(resources.nodes, { signal })).items,
    backups: async () => (await client.list(ownResources.etcdBackups, { namespace, signal })).items,
    backup: (name) => find(ownResources.etcdBackups, name),
    restore: (name) => find(ownResources.etcdRestores, name),
    secret: (name) => find(resources.secrets, name),
  };
}

/**
 * The caches; and the API server for what they do not hold: under the name of an object of ours there may be one
 * without our labels, which only shows when it is asked for by name.
 */
export function cachedSource(readers: Readers, live: Source, cluster: ObjectRef): Source {
  const key = keyOf(cluster);
  const { namespace } = cluster;
  return {
    cluster: async () => readers.clusters.get(cluster),
    pods: async () => readers.pods.byIndex("byCluster", key),
    claims: async () => readers.claims.byIndex("byCluster", key),
    // Asked for where the caches lack it.
    claim: live.claim,
    service: async (name) => readers.services.get({ namespace, name }) ?? live.service(name),
    disruptionBudget: async (name) => readers.disruptionBudgets.get({ namespace, name }) ?? live.disruptionBudget(name),
    // Seldom of interest, and their kinds may be missing where no backup operator is: not worth a watch.
    nodes: live.nodes,
    backups: live.backups,
    backup: live.backup,
    restore: live.restore,
    // Never listed or watched.
    secret: live.secret,
  };
}
