import { parseVersion } from "@etcd-operator/etcd-client";
import { backupTimeLimit } from "../../api/backup/backup-time-limit.ts";
import { clusterLabels, namespaceOf } from "../../api/cluster/cluster-names.ts";
import type { EtcdBackup } from "../../api/etcd-backup.ts";
import type { EtcdCluster } from "../../api/etcd-cluster.ts";
import { API_VERSION } from "../../api/group.ts";
import { ownerReference } from "./owner.ts";
import { storeWithPath } from "./pod/store-path.ts";
import { scopeOf } from "./scope.ts";

/**
 * The EtcdBackup that is made before members leave their minor. The generation is in its name: an edit of the spec
 * tries again.
 */
export function upgradeBackupName({ metadata, spec }: EtcdCluster): string {
  return `${metadata.name}-${suffixOf(spec.version, metadata.generation)}`;
}

/** One backup, now, in the store of another EtcdBackup and beside what lies there. */
export function upgradeBackup(cluster: EtcdCluster, template: EtcdBackup): EtcdBackup {
  const { backupPolicy, etcdEndpoints: _, ...spec } = template.spec;
  const { timeoutInSecond } = backupPolicy ?? {};
  const suffix = suffixOf(cluster.spec.version, cluster.metadata.generation);
  return {
    apiVersion: API_VERSION,
    kind: "EtcdBackup",
    metadata: {
      name: upgradeBackupName(cluster),
      namespace: namespaceOf(cluster),
      labels: clusterLabels(cluster.metadata.name),
      ...scopeOf(cluster),
      ownerReferences: [ownerReference(cluster)],
    },
    spec: {
      ...spec,
      ...storeWithPath(spec, (path) => `${path}-${suffix}`),
      etcdCluster: { name: cluster.metadata.name },
      ...(timeoutInSecond !== undefined && { backupPolicy: { timeoutInSecond: backupTimeLimit(timeoutInSecond) } }),
    },
  };
}

function suffixOf(text: string, generation = 0): string {
  const version = parseVersion(text);
  return `before-${version ? `${version.major}.${version.minor}` : text}-${generation}`;
}
