import { DONE } from "../act/postponed.ts";
import type { Work } from "../act/work.ts";
import type { ActionOutcome, DeclareJoin } from "../model/action.ts";
import { whyMinorCannotBeLeft } from "../rollout/minor-upgrade.act.ts";

/**
 * The status that follows names the next member. One that would move the others out of their minor is not even
 * declared before that is allowed.
 */
export async function declareJoin(work: Work, { leavesMinor }: DeclareJoin): Promise<ActionOutcome> {
  if (leavesMinor === undefined) return DONE;
  const list = await work.etcd.members();
  if (list.kind === "postponed") return list;
  return (await whyMinorCannotBeLeft(work, leavesMinor, await work.etcd.voters(list.members))) ?? DONE;
}
