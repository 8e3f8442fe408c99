import type { Action } from "../action.ts";
import { isUndecided, ownRequest, stateOf } from "../attempt.ts";
import { hasFinalizer } from "../finalizer.ts";
import type { Observation } from "../observation.ts";
import { requestOf } from "./request-of.ts";
import { takeBack } from "./take-back.ts";

/** Deleted while it was under way: what was there before comes back first. */
export function callOff(seen: Observation): Action | undefined {
  const { restore, cluster } = seen;
  if (!restore.metadata.deletionTimestamp) return undefined;
  if (!hasFinalizer(restore)) return { kind: "none", reason: "Deleted", message: "It is being deleted" };
  const request = ownRequest(seen);
  const state = stateOf(seen);
  if (!cluster || cluster.metadata.deletionTimestamp || (!request && !isUndecided(state))) {
    return { kind: "release", reason: "Deleted", message: "Nothing is left to be taken back" };
  }
  // Once the restored cluster is on record there is no way back, and nothing to wait for.
  if (!isUndecided(state)) return takeBack(seen);
  if (!request?.isCanceled && state !== "RollingBack") {
    const canceled = { ...(request ?? requestOf(seen)), isCanceled: true };
    const message = `It was deleted: EtcdCluster '${cluster.metadata.name}' is asked to go back`;
    return { kind: "cancel", reason: "Deleted", message, request: canceled };
  }
  const obstacle = cluster.spec.paused ? ", which is paused: set spec.paused to false" : "";
  const message = `It was deleted, and waits for EtcdCluster '${cluster.metadata.name}'${obstacle}`;
  return { kind: "hold", reason: "Deleted", message, phase: restore.status?.phase ?? "Restoring" };
}
