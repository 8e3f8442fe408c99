import type { Stored } from "@etcd-operator/kubernetes-client";
import type { OwnerReference } from "kubernetes-types/meta/v1.d.ts";
import { clusterLabels } from "../../api/cluster/cluster-names.ts";
import type { EtcdCluster } from "../../api/etcd-cluster.ts";
import { GROUP } from "../../api/group.ts";

type WithMetadata = Pick<Stored, "metadata">;

/** By UID: a cluster that was deleted and created again under the same name owns none of the previous objects. */
export function isOwnedBy({ metadata }: WithMetadata, clusterUid: string): boolean {
  return (metadata.ownerReferences ?? []).some(({ uid }) => uid === clusterUid);
}

/** Whether it bears the labels by which its cluster finds it. */
export function isLabelled({ metadata }: WithMetadata, clusterName: string): boolean {
  return Object.entries(clusterLabels(clusterName)).every(([key, value]) => metadata.labels?.[key] === value);
}

/**
 * Whether it belonged to an earlier cluster of the same name, so that the garbage collector is about to take it away.
 */
export function isLeftover({ metadata }: WithMetadata, cluster: Stored<EtcdCluster>): boolean {
  return (metadata.ownerReferences ?? []).some((owner) => isCluster(owner) && owner.name === cluster.metadata.name);
}

function isCluster({ apiVersion, kind }: OwnerReference): boolean {
  return kind === "EtcdCluster" && apiVersion.startsWith(`${GROUP}/`);
}

/** Whether no other object has a claim to it: no controller, and no EtcdCluster, whose end would be its own. */
export function mayBeTakenOver({ metadata }: WithMetadata): boolean {
  return !(metadata.ownerReferences ?? []).some((owner) => owner.controller === true || isCluster(owner));
}
