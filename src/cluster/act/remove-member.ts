import type { ActionOutcome, Step } from "../action.ts";
import { DONE } from "./postponed.ts";
import { lookFor, removeOne } from "./remove-one.ts";
import { removeSurplus } from "./remove-surplus.ts";
import type { Work } from "./work.ts";

type RemoveMember = Extract<Step, { kind: "remove-member" }>;

/** Removes members for good, one after the other, each if the reason for it still holds and a majority of the rest answers. */
export async function removeMember(work: Work, { member, others = [], because }: RemoveMember): Promise<ActionOutcome> {
  if (because === "surplus") return removeSurplus(work, member, others);
  const outcome = await removeOne(work, member, because, await lookFor(work, member));
  return outcome.kind === "postponed" ? outcome : DONE;
}
