import type { EtcdCluster } from "../api/etcd-cluster.ts";
import { RESTORE_UID_ANNOTATION, type RestoreRequest, restoreRequestOf } from "../api/restore-request.ts";
import type { Action } from "./action.ts";
import { attemptId } from "./attempt.ts";
import type { Observation } from "./observation.ts";

export type RestoreState = NonNullable<NonNullable<EtcdCluster["status"]>["restore"]>["state"];

/** What was seen, and what follows from it alone: the restore and its cluster together. */
export interface Situation {
  readonly seen: Observation;
  /** The request on the cluster, if it is that of this attempt. */
  readonly request: RestoreRequest | undefined;
  /** How far the cluster has got with this attempt; undefined when it has not begun. */
  readonly state: RestoreState | undefined;
  /** The cluster was made from the template of this restore, and has never held anything. */
  readonly isOwnAndEmpty: boolean;
}

/** A rule returns one action for the situation, or nothing. */
export type Rule = (now: Situation) => Action | undefined;

type Pair = Pick<Observation, "restore" | "cluster">;

export function situationOf(seen: Observation): Situation {
  return { seen, request: ownRequest(seen), state: stateOf(seen), isOwnAndEmpty: isOwnAndEmpty(seen) };
}

/** That it is done the cluster has written down twice. */
export function stateOf(pair: Pair): RestoreState | undefined {
  const { uid, state } = pair.cluster?.status?.restore ?? {};
  if (uid === attemptId(pair.restore)) return state;
  return ownRequest(pair)?.isDone ? "Done" : undefined;
}

/** Whether a cluster is in the middle of it: the previous one is set aside, and nothing has replaced it. */
export function isUndecided(state: RestoreState | undefined): boolean {
  return state === "Fencing" || state === "Restoring" || state === "RollingBack";
}

function ownRequest({ restore, cluster }: Pair): RestoreRequest | undefined {
  const request = cluster && restoreRequestOf(cluster.metadata);
  return request?.uid === attemptId(restore) ? request : undefined;
}

function isOwnAndEmpty({ restore, cluster }: Pair): boolean {
  const isOwn = cluster?.metadata.annotations?.[RESTORE_UID_ANNOTATION] === restore.metadata.uid;
  return isOwn && !cluster?.status?.clusterID;
}
