import type { LocalObjectReference } from "kubernetes-types/core/v1.d.ts";
import type { EtcdCluster } from "../api/etcd-cluster.ts";
import { findCluster } from "./find-cluster.ts";
import type { BackupStoreDeps, BackupStoreWish } from "./open-backup-store.ts";

/** As much of a spec as says which cluster it is about. */
export interface ClusterNamed {
  readonly etcdCluster?: { readonly name: string } | undefined;
  /** What a cluster that is not there yet will be made from. */
  readonly clusterTemplate?: Pick<EtcdCluster, "spec"> | undefined;
}

/** What the image of a worker is pulled with. A registry that wants to know who asks for etcd's image may well be the one that ours lies in. */
export async function pullSecretsFor(
  { client, imagePullSecrets = [] }: Pick<BackupStoreDeps, "client" | "imagePullSecrets">,
  { namespace, spec: { etcdCluster, clusterTemplate } }: Pick<BackupStoreWish, "namespace" | "spec">,
  signal: AbortSignal,
): Promise<readonly LocalObjectReference[]> {
  const found = etcdCluster && (await findCluster(client, { namespace, name: etcdCluster.name }, signal));
  const { pod } = (found ?? clusterTemplate)?.spec ?? {};
  return [...(pod?.imagePullSecrets ?? []), ...imagePullSecrets];
}
