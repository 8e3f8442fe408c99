import { wantedSize } from "../model/desired-size.ts";
import type { MemberSeen } from "../model/members.ts";
import { listOf, type Rule, type Situation } from "../model/situation.ts";

/**
 * Gives up members that were declared and will not come: what was made for them is then nobody's, and goes. The next attempt has
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
    message: `${listOf(names)} will not join after all`,
  };
};

function isSpent({ intent, etcd, pod, claim }: MemberSeen, now: Situation): boolean {
  if (etcd) return false;
  // Not in the list: not added yet, if nothing has been made for it; otherwise it was, and has been removed.
  const isTriedAlready = pod !== undefined || claim !== undefined;
  return isTriedAlready || intent?.purpose === "Seed" || now.listed.length >= wantedSize(now);
}
