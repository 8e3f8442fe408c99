import type { Stored } from "@etcd-operator/kubernetes-client";
import type { Condition } from "../api/condition.ts";
import type { EtcdCluster } from "../api/etcd-cluster.ts";
import type { EtcdRestore } from "../api/etcd-restore.ts";
import { RESTORE_UID_ANNOTATION, type RestoreRequest, restoreRequestOf } from "../api/restore-request.ts";
import type { Observation } from "./observation.ts";

export type RestoreState = NonNullable<NonNullable<EtcdCluster["status"]>["restore"]>["state"];

/** The condition that tells of the attempt's current spec; one of an earlier attempt does not count. */
export function conditionOf({ status, metadata }: Stored<EtcdRestore>, type: string): Condition | undefined {
  const condition = status?.conditions?.find((each) => each.type === type);
  const attempt = status?.observedGeneration ?? metadata.generation;
  return condition?.observedGeneration === attempt ? condition : undefined;
}

export function isTrue(restore: Stored<EtcdRestore>, type: string): boolean {
  return conditionOf(restore, type)?.status === "True";
}

/** Over for good. What failed is tried again when its spec is edited; what succeeded is not: it would undo what was written since. */
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

/** The request on the cluster, if it is that of this attempt. */
export function ownRequest({ restore, cluster }: Observation): RestoreRequest | undefined {
  const request = cluster && restoreRequestOf(cluster.metadata);
  return request?.uid === attemptId(restore) ? request : undefined;
}

/** How far the cluster has got with this attempt; undefined when it has not begun. That it is done it has written down twice. */
export function stateOf(seen: Observation): RestoreState | undefined {
  const { restore, cluster } = seen;
  const { uid, state } = cluster?.status?.restore ?? {};
  if (uid === attemptId(restore)) return state;
  return ownRequest(seen)?.isDone ? "Done" : undefined;
}

/** The cluster is a work of this restore, from its template, and has never held anything. */
export function isOwnAndEmpty({ restore, cluster }: Observation): boolean {
  const isOwn = cluster?.metadata.annotations?.[RESTORE_UID_ANNOTATION] === restore.metadata.uid;
  return isOwn && !cluster?.status?.clusterID;
}

/** Made by the operator for this very cluster, and not by somebody who wants it restored whatever it is. */
export function isOwnedBy({ metadata }: Stored<EtcdRestore>, { metadata: { uid } }: Stored<EtcdCluster>): boolean {
  const owners = (metadata.ownerReferences ?? []) as readonly { readonly uid?: string }[];
  return owners.some((owner) => owner.uid === uid);
}

/** Whether a cluster is in the middle of it: what was there before is set aside, and nothing has taken its place. */
export function isUndecided(state: RestoreState | undefined): boolean {
  return state === "Fencing" || state === "Restoring" || state === "RollingBack";
}
