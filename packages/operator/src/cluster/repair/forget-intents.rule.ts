import { wantedSize } from "../model/desired-size.ts";
import type { MemberSeen } from "../model/members.ts";
import { listOf, type Rule, type Situation } from "../model/situation.ts";

/**
 * Drops declared members that will not start: their objects are then strays, and are deleted. The next attempt has
 * another name, so that no volume is ever used twice.
 */
export const forgetIntents: Rule = (now) => {
  const spent = now.members.filter((member) => member.intent !== undefined && isSpent(member, now));
  if (spent.length === 0) return undefined;
  const names = spent.map(({ name }) => name);
  return {
    kind: "forget-intents",
    names,
    reason: "JoinAbandoned",
    message: `Aborting the join of ${listOf(names)}`,
  };
};

function isSpent({ intent, etcd, pod, claim }: MemberSeen, now: Situation): boolean {
  if (etcd) return false;
  // Not in the list: not added yet, if nothing has been made for it; otherwise it was, and has been removed.
  const isTriedAlready = pod !== undefined || claim !== undefined;
  return isTriedAlready || intent?.purpose === "Seed" || now.listed.length >= wantedSize(now);
}
