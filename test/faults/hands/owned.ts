import type { KubeObject, Resource, Stored } from "@etcd-operator/kubernetes-client";
import { resources } from "@etcd-operator/kubernetes-client";
import { ownResources } from "@etcd-operator/operator/objects/own-resources.ts";
import { CLUSTER, type Stage } from "../workloads/stage.ts";

/** An object that the operator has made, or writes to. */
export interface Owned {
  /** As plans call it, such as "client-service". */
  readonly name: string;
  readonly resource: Resource<KubeObject>;
  /** The one whose fields are changed; undefined while there is none. */
  find(stage: Stage): Stored | undefined;
}

/** What there is of a cluster of three on volumes, and the Lease of the controller that looks after it. */
export const ofCluster: readonly Owned[] = [
  named("client-service", resources.services, `${CLUSTER}-client`),
  named("peer-service", resources.services, CLUSTER),
  named("budget", resources.podDisruptionBudgets, CLUSTER),
  { name: "pod", resource: resources.pods, find: ({ memberPods }) => memberPods[0] },
  { name: "claim", resource: resources.persistentVolumeClaims, find: claimOfFirst },
  { name: "cluster", resource: ownResources.etcdClusters, find: ({ cluster }) => cluster },
  {
    name: "lease",
    resource: resources.leases,
    find: ({ objects }) => leaseOf("cluster", objects.of(resources.leases)),
  },
];

function named(name: string, resource: Resource<KubeObject>, object: string): Owned {
  return {
    ...{ name, resource },
    find: ({ objects }) => objects.of(resource).find(({ metadata }) => metadata.name === object),
  };
}

function claimOfFirst({ objects }: Stage): Stored | undefined {
  return objects.of(resources.persistentVolumeClaims).find(({ metadata }) => metadata.labels?.etcd_cluster === CLUSTER);
}

function leaseOf(controller: string, leases: readonly Stored[]): Stored | undefined {
  return leases.find(({ metadata }) => metadata.name.includes(controller));
}
