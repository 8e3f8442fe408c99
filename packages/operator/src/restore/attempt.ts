import type { Stored } from "@etcd-operator/kubernetes-client";
import type { Condition } from "../api/condition.ts";
import type { EtcdCluster } from "../api/etcd-cluster.ts";
import type { EtcdRestore } from "../api/etcd-restore.ts";

/** The condition for the attempt's current spec; one of an earlier attempt does not count. */
export function conditionOf({ status, metadata }: Stored<EtcdRestore>, type: string): Condition | undefined {
  const condition = status?.conditions?.find((each) => each.type === type);
  const attempt = status?.observedGeneration ?? metadata.generation;
  return condition?.observedGeneration === attempt ? condition : undefined;
}

export function isTrue(restore: Stored<EtcdRestore>, type: string): boolean {
  return conditionOf(restore, type)?.status === "True";
}

/**
 * Over for good. What failed is tried again when its spec is edited; what succeeded is not: it would undo what was
 * written since.
 */
export function isFinal({ status, metadata }: Stored<EtcdRestore>): boolean {
  if (status?.phase === "Succeeded") return true;
  return status?.phase === "Failed" && status.observedGeneration === metadata.generation;
}

/** Whether an attempt is under way, of whatever spec. */
export function isBegun({ status }: Stored<EtcdRestore>): boolean {
  return status?.phase !== undefined && status.phase !== "Failed" && status.observedGeneration !== undefined;
}

/** Names the attempt to the cluster: after a failure another one may follow under the same EtcdRestore. */
export function attemptId({ status, metadata }: Stored<EtcdRestore>): string {
  const generation = status?.observedGeneration ?? metadata.generation ?? 1;
  return generation === 1 ? metadata.uid : `${metadata.uid}-${generation}`;
}

/** Created by the operator for this very cluster, and not by a user who asks for the restore in any case. */
export function isOwnedBy({ metadata }: Stored<EtcdRestore>, { metadata: { uid } }: Stored<EtcdCluster>): boolean {
  const owners = (metadata.ownerReferences ?? []) as readonly { readonly uid?: string }[];
  return owners.some((owner) => owner.uid === uid);
}
