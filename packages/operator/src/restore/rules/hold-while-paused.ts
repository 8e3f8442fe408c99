import type { Action } from "../action.ts";
import type { Situation } from "../situation.ts";

/** A paused cluster is not changed. */
export function holdWhilePaused({ seen, isOwnAndEmpty }: Situation): Action | undefined {
  const { restore, cluster } = seen;
  // One that an earlier attempt has left behind was paused by us.
  if (!cluster?.spec.paused || isOwnAndEmpty) return undefined;
  const message = `EtcdCluster '${cluster.metadata.name}' is paused: the restore starts once spec.paused is false`;
  return { kind: "hold", reason: "Paused", message, phase: restore.status?.phase ?? "Verifying" };
}
