import type { Action } from "../action.ts";
import { isOwnAndEmpty, stateOf } from "../attempt.ts";
import type { Observation } from "../observation.ts";

/**
 * Takes the request off a cluster that is not, or no longer, being restored. One that was made for this restore, and has not heard of it yet, is
 * paused with the same write: else an empty one would be founded, and clients would take it for the restored.
 */
export function takeBack(seen: Observation): Action {
  const name = seen.cluster?.metadata.name;
  if (isOwnAndEmpty(seen) && stateOf(seen) === undefined) {
    const message = `EtcdCluster '${name}' was made for this restore and holds nothing: it is paused, and can be deleted`;
    return { kind: "park-cluster", reason: "TakingBack", message };
  }
  return { kind: "withdraw", reason: "TakingBack", message: `The request is taken off EtcdCluster '${name}'` };
}
