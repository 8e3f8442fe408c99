import type { Action } from "../action.ts";
import { isOwnAndEmpty } from "../attempt.ts";
import type { Observation } from "../observation.ts";
import { requestOf } from "./request-of.ts";

/** All is ready: from here on the controller of EtcdClusters does what it is asked to. */
export function requestRestore(seen: Observation): Action {
  const { restore, cluster } = seen;
  const { name } = restore.spec.etcdCluster;
  const request = requestOf(seen);
  if (!cluster || isOwnAndEmpty(seen)) {
    const message = `EtcdCluster '${name}' is made from the template, to be restored to revision ${request.revision}`;
    return { kind: "create-cluster", reason: "Restoring", message, request };
  }
  const message = `EtcdCluster '${name}' is asked to go through a restore to revision ${request.revision}`;
  return { kind: "request", reason: "Restoring", message, request };
}
