import type { Action } from "../action.ts";
import type { Situation } from "../situation.ts";

/**
 * Takes the request off a cluster that is not, or no longer, being restored. One that was made for this restore, and
 * has not acted on it yet, is paused with the same write: else an empty one would be bootstrapped, and clients would
 * take it for the restored.
 */
export function withdrawRequest({ seen, state, isOwnAndEmpty }: Situation): Action {
  const name = seen.cluster?.metadata.name;
  if (isOwnAndEmpty && state === undefined) {
    const message = `EtcdCluster '${name}' was created for this restore and is empty: pausing it; it can be deleted`;
    return { kind: "park-cluster", reason: "WithdrawingRequest", message };
  }
  return {
    kind: "withdraw",
    reason: "WithdrawingRequest",
    message: `Removing the restore request from EtcdCluster '${name}'`,
  };
}
