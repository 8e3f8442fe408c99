import type { KubeObject, Stored } from "@etcd-operator/kubernetes-client";
import { byLabel } from "@etcd-operator/kubernetes-client";
import { Cache } from "@etcd-operator/kubernetes-client/watch/cache.ts";
import type { EtcdCluster } from "@etcd-operator/operator/api/etcd-cluster.ts";
import { claim } from "@etcd-operator/operator/cluster/objects/claim.ts";
import { podDisruptionBudget } from "@etcd-operator/operator/cluster/objects/pod-disruption-budget.ts";
import { clientService, peerService } from "@etcd-operator/operator/cluster/objects/service.ts";
import type { PersistentVolumeClaim, Pod, Service } from "kubernetes-types/core/v1.d.ts";
import type { PodDisruptionBudget } from "kubernetes-types/policy/v1.d.ts";
import { aMemberPod } from "./a-member-pod.ts";
import { A_CLAIM, anEtcdCluster } from "./an-etcd-cluster.ts";

/** For tests: what an API server holds of the cluster `example` and what looks like it. */
export interface World {
  readonly cluster: Stored<EtcdCluster> | undefined;
  readonly pods: Stored<Pod>[];
  readonly claims: Stored<PersistentVolumeClaim>[];
  readonly services: Stored<Service>[];
  readonly budgets: Stored<PodDisruptionBudget>[];
}

export const EMPTY_WORLD: World = { cluster: undefined, pods: [], claims: [], services: [], budgets: [] };

/** A cluster on claims, whose cluster id is recorded. */
export const RECORDED_CLUSTER = { ...clusterOf("uid-1"), status: { clusterID: "c1" } };

/** One member that runs, one that does not yet, and pods and claims of others. */
export function aWorld(): World {
  const earlier = clusterOf("uid-0");
  const foreign = { uid: "uid-of-foreign", ownerReferences: [], annotations: {} };
  const claimOf = (cluster: EtcdCluster, member: string) =>
    stored<PersistentVolumeClaim>(claim(cluster, member, 1) ?? {});
  return {
    cluster: stored<EtcdCluster>(RECORDED_CLUSTER),
    pods: [
      aMemberPod(RECORDED_CLUSTER, {
        member: "example-a",
        start: { kind: "returning", clusterId: "c1", memberId: "a1" },
      }),
      aMemberPod(RECORDED_CLUSTER, { member: "example-b", status: { phase: "Pending" } }),
      aMemberPod(earlier, { member: "example-old" }),
      aMemberPod(RECORDED_CLUSTER, { member: "example-foreign", metadata: foreign }),
    ],
    claims: [claimOf(RECORDED_CLUSTER, "example-a"), claimOf(earlier, "example-old")],
    services: [stored<Service>(peerService(RECORDED_CLUSTER)), stored<Service>(clientService(RECORDED_CLUSTER))],
    budgets: [stored<PodDisruptionBudget>(podDisruptionBudget(RECORDED_CLUSTER, 3))],
  };
}

/** What an API server answers that holds it, by path. */
export function answersOf({ cluster, pods, claims, services, budgets }: World): Record<string, unknown> {
  const list = (items: readonly KubeObject[]) => ({ metadata: { resourceVersion: "9" }, items });
  return {
    "/apis/etcd.database.coreos.com/v1beta2/namespaces/prod/etcdclusters/example": cluster,
    "/api/v1/namespaces/prod/pods": list(pods),
    "/api/v1/namespaces/prod/persistentvolumeclaims": list(claims),
    "/api/v1/namespaces/prod/services/example": services[0],
    "/api/v1/namespaces/prod/services/example-client": services[1],
    "/apis/policy/v1/namespaces/prod/poddisruptionbudgets/example": budgets[0],
  };
}

/** The caches of a controller of clusters. */
export function newCaches() {
  const byCluster = byLabel("etcd_cluster");
  return {
    clusters: new Cache<EtcdCluster>(),
    pods: new Cache<Pod, "byCluster">({ byCluster }),
    claims: new Cache<PersistentVolumeClaim, "byCluster">({ byCluster }),
    services: new Cache<Service>(),
    disruptionBudgets: new Cache<PodDisruptionBudget>(),
  };
}

export function fillCaches(caches: ReturnType<typeof newCaches>, world: World): void {
  fill(caches.clusters, world.cluster ? [world.cluster] : []);
  fill(caches.pods, world.pods);
  fill(caches.claims, world.claims);
  fill(caches.services, world.services);
  fill(caches.disruptionBudgets, world.budgets);
}

/** With the identity that the API server gives. */
export function stored<T extends KubeObject>(object: T): Stored<T> {
  const identity = { uid: "some-uid", resourceVersion: "5", creationTimestamp: "2030-01-01T00:00:00Z" };
  return { apiVersion: "v1", kind: "x", ...object, metadata: { ...identity, ...object.metadata } } as Stored<T>;
}

function clusterOf(uid: string): EtcdCluster {
  return anEtcdCluster({ pod: { persistentVolumeClaimSpec: A_CLAIM } }, { uid });
}

function fill<T extends KubeObject>(cache: Pick<Cache<T, string>, "replace">, objects: readonly Stored<T>[]): void {
  // Emptied first: an object in the version that it knows would be no news to it.
  cache.replace([], "1");
  cache.replace(objects, "2");
}
