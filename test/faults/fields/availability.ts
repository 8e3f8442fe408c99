import type { EtcdCluster } from "@etcd-operator/operator/api/etcd-cluster.ts";
import { conditionOf } from "@etcd-operator/testing/scenario/cluster/settled.ts";

/**
 * What is wrong with how a cluster serves, or is said to, while it is edited. One alone is away while it is changed; of
 * three, no edit takes more than one down, and the operator can always reach them.
 */
export function lacksAvailability(cluster: EtcdCluster | undefined, secrets: readonly string[]): readonly string[] {
  const isToStay = cluster !== undefined && cluster.spec.size >= 3 && (cluster.status?.size ?? 0) >= 3;
  if (!isToStay) return [];
  const { status = "absent", reason, message = "" } = conditionOf(cluster, "Available") ?? {};
  if (status === "True" || (status === "Unknown" && isBlinded(message, secrets))) return [];
  return [`the cluster was not available: ${status}, ${reason}: ${message}`];
}

/** An edit may remove the operator's own access to the members: then it reports so, and the report is true. */
function isBlinded(message: string, secrets: readonly string[]): boolean {
  const missing = /Secret '([^']+)' does not exist/.exec(message)?.[1];
  return missing !== undefined && !secrets.includes(missing);
}
