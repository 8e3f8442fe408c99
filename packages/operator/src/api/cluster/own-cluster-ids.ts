import type { EtcdClusterStatus } from "../etcd-cluster.ts";

interface Snapshot {
  readonly clusterID?: string | undefined;
  readonly revision?: number | undefined;
}

interface RestoredSnapshot {
  readonly clusterID: string;
  readonly revision: number;
}

/**
 * The id that proves a backup to be of this very cluster; while it is being restored and has none, that of the cluster
 * before.
 */
export function ownClusterIds({ clusterID, restore }: EtcdClusterStatus = {}): readonly string[] {
  const id = clusterID || restore?.previousClusterID;
  return id ? [id] : [];
}

/**
 * The snapshot of the cluster before that this one was restored from. Any other of that cluster may have what the user
 * has rolled back by the restore: its revisions are of another lineage, and a higher one is not newer.
 */
export function restoredSnapshot({ restore }: EtcdClusterStatus = {}): RestoredSnapshot | undefined {
  const { previousClusterID: clusterID, revision, state } = restore ?? {};
  const isTaken = state === "Joining" || state === "Done";
  return isTaken && clusterID && revision !== undefined ? { clusterID, revision } : undefined;
}

/** Whether a snapshot is of this very cluster, or the one that it was restored from. */
export function isOwnSnapshot(status: EtcdClusterStatus | undefined, { clusterID, revision }: Snapshot): boolean {
  if (clusterID === undefined) return false;
  const restored = restoredSnapshot(status);
  const isRestored = restored?.clusterID === clusterID && restored.revision === revision;
  return isRestored || ownClusterIds(status).includes(clusterID);
}
