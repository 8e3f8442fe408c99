import type { Action } from "../action.ts";
import type { Situation } from "../situation.ts";
import { requestOf } from "./request-of.ts";

/** All is ready: from here on the controller of EtcdClusters does what it is asked to. */
export function requestRestore({ seen, isOwnAndEmpty }: Situation): Action {
  const { restore, cluster } = seen;
  const { name } = restore.spec.etcdCluster;
  const request = requestOf(seen);
  if (!cluster || isOwnAndEmpty) {
    const message = `EtcdCluster '${name}' is made from the template, to be restored to revision ${request.revision}`;
    return { kind: "create-cluster", reason: "Restoring", message, request };
  }
  const message = `EtcdCluster '${name}' is asked to go through a restore to revision ${request.revision}`;
  return { kind: "request", reason: "Restoring", message, request };
}
