import { EtcdError } from "@etcd-operator/etcd-client";
import { DONE, postponed } from "../act/postponed.ts";
import type { Work } from "../act/work.ts";
import type { ActionOutcome, Step } from "../model/action.ts";
import { fromHex } from "../model/hex-id.ts";

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
