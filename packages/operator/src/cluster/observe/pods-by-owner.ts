import type { Stored } from "@etcd-operator/kubernetes-client";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { memberName } from "../../api/cluster/cluster-names.ts";
import type { EtcdCluster } from "../../api/etcd-cluster.ts";
import type { Strangers } from "../model/observation.ts";
import { ownAnnotations } from "./own-annotations.ts";
import { isLeftover, isOwnedBy, mayBeTakenOver } from "./ownership.ts";

/** The pods that bear a cluster's labels, by whose they are. */
export interface PodsByOwner {
  readonly own: readonly Stored<Pod>[];
  /** Made by us for a cluster of this name, and without an owner: `kubectl delete --cascade=orphan` leaves such. */
  readonly orphans: readonly Stored<Pod>[];
  readonly strangers: Strangers;
}

export function podsByOwner(cluster: Stored<EtcdCluster>, labelled: readonly Stored<Pod>[]): PodsByOwner {
  const own = labelled.filter((pod) => isOwnedBy(pod, cluster.metadata.uid));
  const others = labelled.filter((pod) => !isOwnedBy(pod, cluster.metadata.uid));
  const { clusterID } = cluster.status ?? {};
  // Beside pods of its own, while none of them is recorded, it has nothing to do with them.
  const isDue = Boolean(clusterID) || own.length === 0;
  const isOrphan = (pod: Stored<Pod>) =>
    isDue && isOrphanOf(pod, cluster) && (!clusterID || ownAnnotations(pod).clusterId === clusterID);
  const ready = others.filter(isCountedForBudget);
  return {
    own,
    orphans: others.filter(isOrphan),
    strangers: {
      leftoverPods: namesOf(others.filter((pod) => isLeftover(pod, cluster))),
      foreignPods: namesOf(others.filter((pod) => !isLeftover(pod, cluster) && !isOrphan(pod))),
      ...(ready.length > 0 && { readyPods: namesOf(ready) }),
    },
  };
}

/** Whether the operator made a pod for a cluster of this name, and no other object has a claim to it. */
export function isOrphanOf(pod: Stored<Pod>, { metadata }: Stored<EtcdCluster>): boolean {
  const isOfThisName = pod.metadata.name.startsWith(memberName(metadata.name, ""));
  return isOfThisName && ownAnnotations(pod).incarnation !== undefined && mayBeTakenOver(pod);
}

/** As Kubernetes counts: pods that are ready and not terminating. */
function isCountedForBudget({ metadata, status }: Stored<Pod>): boolean {
  const isReady = status?.conditions?.some(({ type, status: value }) => type === "Ready" && value === "True");
  return isReady === true && metadata.deletionTimestamp === undefined;
}

function namesOf(pods: readonly Stored<Pod>[]): string[] {
  return pods.map(({ metadata }) => metadata.name);
}
