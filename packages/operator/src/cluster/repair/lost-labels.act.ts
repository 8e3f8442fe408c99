import type { Stored } from "@etcd-operator/kubernetes-client";
import type { EtcdCluster } from "../../api/etcd-cluster.ts";
import { isLabelled, isOwnedBy } from "../observe/ownership.ts";

/**
 * What to do about a pod of this cluster that lost the labels by which its cluster, its Services and its budget find
 * it.
 */
export function whyPodIsUnseen(pod: Stored, { metadata }: Stored<EtcdCluster>): string | undefined {
  if (!isOwnedBy(pod, metadata.uid) || isLabelled(pod, metadata.name)) return undefined;
  return `Pod ${pod.metadata.name} lacks the labels of its cluster: restore the labels, or delete the pod`;
}
