import type { Action } from "../action.ts";
import type { Situation } from "../situation.ts";
import { requestOf } from "./request-of.ts";

/** All is ready: from now on the controller of EtcdClusters follows the request. */
export function requestRestore({ seen, isOwnAndEmpty }: Situation): Action {
  const { restore, cluster } = seen;
  const { name } = restore.spec.etcdCluster;
  const request = requestOf(seen);
  if (!cluster || isOwnAndEmpty) {
    const message = `Creating EtcdCluster '${name}' from the template, to be restored to revision ${request.revision}`;
    return { kind: "create-cluster", reason: "Restoring", message, request };
  }
  const message = `Requesting a restore of EtcdCluster '${name}' to revision ${request.revision}`;
  return { kind: "request", reason: "Restoring", message, request };
}
