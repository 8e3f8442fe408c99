import type { EtcdCluster } from "../../api/etcd-cluster.ts";
import type { EtcdRestore } from "../../api/etcd-restore.ts";
import type { Stored } from "../../kubernetes/kube-object.ts";
import type { Action } from "../action.ts";
import { isOwnedBy } from "../attempt.ts";
import type { Observation } from "../observation.ts";

/**
 * A restore that the operator made by itself, because a majority had lost its data, is for that alone. Verifying and saving take a while, and who comes
 * back meanwhile has more than any backup.
 */
export function stillNeeded({ restore, cluster }: Observation): Action | undefined {
  if (!isNeedless(restore, cluster)) return undefined;
  const message = `It was made because EtcdCluster '${cluster?.metadata.name}' had lost its majority, but the majority came back; nothing was touched`;
  return { kind: "fail", reason: "MajorityCameBack", message };
}

export function isNeedless(restore: Stored<EtcdRestore>, cluster: Stored<EtcdCluster> | undefined): boolean {
  return cluster !== undefined && isOwnedBy(restore, cluster) && !cluster.status?.majorityLostSince;
}
