import type { KubeClient, ObjectRef, Stored } from "@etcd-operator/kubernetes-client";
import { hasCode } from "@etcd-operator/kubernetes-client";
import type { EtcdCluster } from "../api/etcd-cluster.ts";
import { judge } from "../api/schema/judge.ts";
import { ownResources } from "../objects/own-resources.ts";

/** The cluster that a backup is of; it may be gone, and the backup is as good as before. */
export async function findCluster(
  client: Pick<KubeClient, "get">,
  ref: ObjectRef,
  signal: AbortSignal,
): Promise<Stored<EtcdCluster> | undefined> {
  try {
    return withSpecAsRead(await client.get(ownResources.etcdClusters, ref, { signal }));
  } catch (error) {
    if (hasCode(error, "not-found")) return undefined;
    throw error;
  }
}

/** In the spelling that everything else compares with; one that is not valid as it is stored. */
function withSpecAsRead(stored: Stored<EtcdCluster>): Stored<EtcdCluster> {
  const judged = judge("EtcdCluster", { ...stored, status: undefined });
  return judged.kind === "valid" ? { ...stored, spec: judged.object.spec } : stored;
}
