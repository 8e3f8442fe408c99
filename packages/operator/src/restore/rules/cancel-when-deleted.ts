import type { Action } from "../action.ts";
import { hasFinalizer } from "../finalizer.ts";
import { isUndecided, type Situation } from "../situation.ts";
import { requestOf } from "./request-of.ts";
import { withdrawRequest } from "./withdraw-request.ts";

/** Deleted while it was under way: the cluster rolls back first. */
export function cancelWhenDeleted(now: Situation): Action | undefined {
  const { seen, request, state } = now;
  const { restore, cluster } = seen;
  if (!restore.metadata.deletionTimestamp) return undefined;
  if (!hasFinalizer(restore)) return { kind: "none", reason: "Deleting", message: "The EtcdRestore is being deleted" };
  if (!cluster || cluster.metadata.deletionTimestamp || (!request && !isUndecided(state))) {
    return {
      kind: "remove-finalizer",
      reason: "Deleting",
      message: "The EtcdRestore is being deleted, and there is nothing to roll back",
    };
  }
  // Once the restored cluster is recorded there is no rollback, and nothing to wait for.
  if (!isUndecided(state)) return withdrawRequest(now);
  if (!request?.isCanceled && state !== "RollingBack") {
    const canceled = { ...(request ?? requestOf(seen)), isCanceled: true };
    const message = `The EtcdRestore was deleted: rolling EtcdCluster '${cluster.metadata.name}' back`;
    return { kind: "cancel", reason: "Deleting", message, request: canceled };
  }
  const obstacle = cluster.spec.paused ? ", which is paused: set spec.paused to false" : "";
  const message = `The EtcdRestore was deleted: waiting for the rollback of EtcdCluster '${cluster.metadata.name}'${obstacle}`;
  return { kind: "hold", reason: "Deleting", message, phase: restore.status?.phase ?? "Restoring" };
}
