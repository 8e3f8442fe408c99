import type { MemberIntent } from "../model/members.ts";
import { isIdentified, isStarted, type Situation } from "../model/situation.ts";
import { MOST_MEMBERS } from "./member-status.status.ts";

/** The intents that still stand. */
export function standingIntents(now: Situation): MemberIntent[] {
  // What does not fit is not declared, and so never made.
  return now.intents.filter((intent) => !isFulfilled(intent, now) && !isOutlived(intent, now)).slice(0, MOST_MEMBERS);
}

/** Its member is in, and its pod says so: from here on the list and the pod have all that the intent had. */
function isFulfilled({ name, purpose }: MemberIntent, { members, isConfirmed, status }: Situation): boolean {
  const member = members.find((each) => each.name === name);
  if (!isConfirmed || !member || !isStarted(member) || !isIdentified(member)) return false;
  return purpose === "Join" || Boolean(status.clusterID);
}

/** Declared for a cluster that another has replaced. */
function isOutlived({ incarnation }: MemberIntent, { status }: Situation): boolean {
  return Boolean(status.clusterID) && incarnation < (status.incarnation ?? 0);
}
