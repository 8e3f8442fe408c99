import type { Pod } from "kubernetes-types/core/v1.d.ts";
import type { EtcdCluster } from "../../api/etcd-cluster.ts";
import type { Stored } from "../../kubernetes/kube-object.ts";
import type { Strangers } from "../observation.ts";
import { isLeftover, isOwnedBy } from "./ownership.ts";

/** The pods that bear a cluster's labels, by whose they are. */
export interface PodsByOwner {
  readonly own: readonly Stored<Pod>[];
  readonly strangers: Strangers;
}

export function podsByOwner(cluster: Stored<EtcdCluster>, labelled: readonly Stored<Pod>[]): PodsByOwner {
  const own = labelled.filter((pod) => isOwnedBy(pod, cluster.metadata.uid));
  const others = labelled.filter((pod) => !isOwnedBy(pod, cluster.metadata.uid));
  const ready = others.filter(isCountedForBudget);
  return {
    own,
    strangers: {
      leftoverPods: namesOf(others.filter((pod) => isLeftover(pod, cluster))),
      foreignPods: namesOf(others.filter((pod) => !isLeftover(pod, cluster))),
      ...(ready.length > 0 && { readyPods: namesOf(ready) }),
    },
  };
}

/** As Kubernetes counts: pods that are ready and not on their way out. */
function isCountedForBudget({ metadata, status }: Stored<Pod>): boolean {
  const isReady = status?.conditions?.some(({ type, status: value }) => type === "Ready" && value === "True");
  return isReady === true && metadata.deletionTimestamp === undefined;
}

function namesOf(pods: readonly Stored<Pod>[]): string[] {
  return pods.map(({ metadata }) => metadata.name);
}
