import type { PodDisruptionBudget } from "kubernetes-types/policy/v1.d.ts";
import { clusterLabels, disruptionBudgetName, namespaceOf } from "../../api/cluster/cluster-names.ts";
import type { EtcdCluster } from "../../api/etcd-cluster.ts";
import { ownerReference } from "./owner.ts";

/**
 * Keeps drains from taking quorum away. It counts pods that are ready, and by the readiness gate only voters are; so
 * `voters` is how many the cluster has now, which during a scale is not the size asked for. Ready pods that bear the
 * cluster's labels but are foreign count as well (`strangers`): they must not stand in for a voter.
 */
export function podDisruptionBudget(cluster: EtcdCluster, voters: number, strangers = 0): PodDisruptionBudget {
  const labels = clusterLabels(cluster.metadata.name);
  return {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: {
      name: disruptionBudgetName(cluster.metadata.name),
      namespace: namespaceOf(cluster),
      labels,
      ownerReferences: [ownerReference(cluster)],
    },
    spec: { minAvailable: minAvailable(cluster, voters) + strangers, selector: { matchLabels: labels } },
  };
}

/**
 * A quorum. One voter alone can never be spared, which would block every drain for ever: on a claim its data survives
 * the move, so a drain may have it; in an emptyDir the drain would delete the only copy, so it has to wait for a
 * person.
 */
function minAvailable(cluster: EtcdCluster, voters: number): number {
  const survivesEviction = cluster.spec.pod?.persistentVolumeClaimSpec !== undefined;
  return voters <= 1 && survivesEviction ? 0 : Math.floor(voters / 2) + 1;
}
