import type { EtcdCluster } from "../../api/etcd-cluster.ts";
import { findCluster } from "../find-cluster.ts";
import type { BackupStoreDeps, BackupStoreRequest } from "../store/open-backup-store.ts";

/** As much of a spec as says which cluster it is about. */
export interface ClusterNamed {
  readonly etcdCluster?: { readonly name: string } | undefined;
  /** What a cluster that is not there yet will be made from. */
  readonly clusterTemplate?: Pick<EtcdCluster, "spec"> | undefined;
}

/** The pod policy of the cluster that a store is opened for: a worker's pod has the same. */
export async function podPolicyFor(
  { client }: Pick<BackupStoreDeps, "client">,
  { namespace, spec: { etcdCluster, clusterTemplate } }: Pick<BackupStoreRequest, "namespace" | "spec">,
  signal: AbortSignal,
): Promise<EtcdCluster["spec"]["pod"]> {
  const found = etcdCluster && (await findCluster(client, { namespace, name: etcdCluster.name }, signal));
  return (found ?? clusterTemplate)?.spec?.pod;
}
