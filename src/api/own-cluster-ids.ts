import type { EtcdClusterStatus } from "./etcd-cluster.ts";

/** Ids that prove a backup to be of this very cluster: its own, and that of the one before its newest restore. */
export function ownClusterIds({ clusterID, restore }: EtcdClusterStatus = {}): readonly string[] {
  return [clusterID, restore?.previousClusterID].flatMap((id) => id || []);
}
