import { currentBackup } from "../../api/backup/backup-place.ts";
import type { StoredSnapshot } from "../../api/backup/stored-snapshot.ts";
import { clusterLabels, namespaceOf } from "../../api/cluster/cluster-names.ts";
import { isOwnSnapshot } from "../../api/cluster/own-cluster-ids.ts";
import type { EtcdBackup } from "../../api/etcd-backup.ts";
import type { EtcdCluster } from "../../api/etcd-cluster.ts";
import type { EtcdRestore } from "../../api/etcd-restore.ts";
import { API_VERSION } from "../../api/group.ts";
import { ownerReference } from "./owner.ts";
import { storeWithPath } from "./pod/store-path.ts";
import { scopeOf } from "./scope.ts";

/**
 * The EtcdRestore that is made when a majority lost its data. The incarnation is in its name, so there is one for each.
 */
export function recoveryName({ metadata, status }: EtcdCluster): string {
  return `${metadata.name}-recovery-${status?.incarnation ?? 0}`;
}

/**
 * The newest verified backup, if it is of this very cluster, or what it was restored from: an EtcdBackup may have
 * looked after another, or may go elsewhere since it was edited.
 */
export function verifiedBackup({ status }: EtcdCluster, backup: EtcdBackup): StoredSnapshot | undefined {
  const last = currentBackup(backup);
  return isOf(status, last) ? last : undefined;
}

/** Whether a backup is recorded as one of this very cluster. */
export function isOf(status: EtcdCluster["status"], backup: StoredSnapshot | undefined): boolean {
  return backup !== undefined && isOwnSnapshot(status, backup);
}

/**
 * Restores the newest backup that an EtcdBackup has verified, or what a survivor still has, whichever is newer. Where
 * nothing is verified yet its own path is named, at which nothing need lie; what lies there is restored only if it
 * proves to be of this cluster.
 */
export function recoveryRestore(cluster: EtcdCluster, backup: EtcdBackup): EtcdRestore {
  const { spec } = backup;
  const { name } = cluster.metadata;
  return {
    apiVersion: API_VERSION,
    kind: "EtcdRestore",
    metadata: {
      name: recoveryName(cluster),
      namespace: namespaceOf(cluster),
      labels: clusterLabels(name),
      ...scopeOf(cluster),
      ownerReferences: [ownerReference(cluster)],
    },
    // The API server fills in what has a default.
    spec: {
      etcdCluster: { name },
      backupStorageType: spec.storageType,
      ...storeWithPath(spec, (path) => verifiedBackup(cluster, backup)?.path ?? path),
      preferNewerSurvivor: true,
    } as EtcdRestore["spec"],
  };
}
