import { EtcdError } from "../../etcd/etcd-error.ts";
import type { ActionOutcome, Step } from "../action.ts";
import { fromHex } from "../hex-id.ts";
import { DONE, postponed } from "./postponed.ts";
import type { Work } from "./work.ts";

type MoveLeader = Extract<Step, { kind: "move-leader" }>;

/** Hands leadership over, which only the leader itself can. */
export async function moveLeader({ etcd, live }: Work, { from, to }: MoveLeader): Promise<ActionOutcome> {
  const change = await live.clusterHasChanged();
  if (change) return change;
  const via = await etcd.clientOf(from.name);
  try {
    await etcd.change(`moving the leader from ${from.name} to ${to.name}`, via, (leader, options) =>
      leader.moveLeader(fromHex(to.id), options),
    );
    return DONE;
  } catch (error) {
    if (error instanceof EtcdError && error.code === "not-leader") return postponed(error.message);
    throw error;
  }
}
