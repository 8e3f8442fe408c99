import type { EtcdBackup } from "../../api/etcd-backup.ts";
import type { EtcdCluster } from "../../api/etcd-cluster.ts";
import { API_VERSION, SCOPE_ANNOTATION } from "../../api/group.ts";
import { parseVersion } from "../../etcd/version.ts";
import { clusterLabels, namespaceOf } from "./names.ts";
import { ownerReference } from "./owner.ts";

/** The EtcdBackup that is made before members leave their minor. The generation is in its name: who edits the spec tries again. */
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
      ...storeWith(spec, suffix),
      etcdCluster: { name: cluster.metadata.name },
      ...(timeoutInSecond !== undefined && { backupPolicy: { timeoutInSecond } }),
    },
  };
}

type Stores = Pick<EtcdBackup["spec"], "s3" | "abs" | "gcs" | "oss" | "volume">;

function storeWith({ s3, abs, gcs, oss, volume }: Stores, suffix: string): Stores {
  const beside = <Store extends { readonly path: string }>(store: Store): Store => ({
    ...store,
    path: `${store.path}-${suffix}`,
  });
  return {
    ...(s3 && { s3: beside(s3) }),
    ...(abs && { abs: beside(abs) }),
    ...(gcs && { gcs: beside(gcs) }),
    ...(oss && { oss: beside(oss) }),
    ...(volume && { volume: beside(volume) }),
  };
}

function suffixOf(text: string, generation = 0): string {
  const version = parseVersion(text);
  return `before-${version ? `${version.major}.${version.minor}` : text}-${generation}`;
}

/** Whoever looks after the cluster looks after its backup. */
function scopeOf({ metadata }: EtcdCluster): { annotations?: Record<string, string> } {
  const scope = metadata.annotations?.[SCOPE_ANNOTATION];
  return scope === undefined ? {} : { annotations: { [SCOPE_ANNOTATION]: scope } };
}
