import { DONE } from "../act/postponed.ts";
import type { Work } from "../act/work.ts";
import type { ActionOutcome, Step } from "../model/action.ts";
import { lookFor, removeOne } from "./remove-one.act.ts";
import { removeSurplus } from "./remove-surplus.act.ts";

type RemoveMember = Extract<Step, { kind: "remove-member" }>;

/**
 * Removes members for good, one after the other, each if the reason for it still holds and a majority of the rest
 * answers.
 */
export async function removeMember(work: Work, { member, others = [], because }: RemoveMember): Promise<ActionOutcome> {
  if (because === "surplus") return removeSurplus(work, member, others);
  const outcome = await removeOne(work, member, because, await lookFor(work, member));
  return outcome.kind === "postponed" ? outcome : DONE;
}
