import type { EtcdClusterStatus } from "../../api/etcd-cluster.ts";
import { afterStartFailure } from "../bootstrap/start-failures.status.ts";
import { type Action, type ActionOutcome, type MemberId, membersRemoved } from "../model/action.ts";
import type { MemberIntent } from "../model/members.ts";
import type { MembershipSeen, Observation } from "../model/observation.ts";
import { withStatus } from "../model/with-status.ts";

type ActionOf<K extends Action["kind"]> = Extract<Action, { kind: K }>;

/** Which member comes next. */
export function recordJoin(seen: Observation, { name }: ActionOf<"declare-join">): Observation {
  return withStatus(seen, { memberIntents: [...without(seen, [name]), intentToJoin(name, seen)] });
}

/** That members do not come after all, and why. */
export function recordForgotten(seen: Observation, { names, failed }: ActionOf<"forget-intents">): Observation {
  return withStatus(seen, { memberIntents: without(seen, names), ...failedStart(seen, failed) });
}

/** That a member has come to vote: attempts that failed before it do not count any more. */
export function recordPromotion(seen: Observation): Observation {
  return withStatus(seen, { startFailures: undefined });
}

/** Which members are gone, and which one comes in their place. Their names are used up: it has another one. */
export function recordRemoval(
  seen: Observation,
  action: ActionOf<"remove-member">,
  outcome: ActionOutcome,
): Observation {
  const removed = membersRemoved(action, outcome);
  const gone = removed.map(({ name }) => name);
  const next = action.successor === undefined ? [] : [intentToJoin(action.successor, seen)];
  const recorded = { memberIntents: [...without(seen, gone), ...next], ...failedStart(seen, action.failed) };
  return { ...withStatus(seen, recorded), membership: membershipWithout(removed, seen.membership) };
}

/** etcd has agreed to the removals, so the list that was read before them is out of date. */
function membershipWithout(removed: readonly MemberId[], membership: MembershipSeen): MembershipSeen {
  if (removed.length === 0 || membership.kind === "unknown") return membership;
  const ids = new Set(removed.map(({ id }) => id));
  return { ...membership, members: membership.members.filter(({ id }) => !ids.has(id)) };
}

function intentToJoin(name: string, { cluster }: Observation): MemberIntent {
  return { name, incarnation: cluster.status?.incarnation ?? 1, purpose: "Join" };
}

function without({ cluster }: Observation, names: readonly string[]): MemberIntent[] {
  return (cluster.status?.memberIntents ?? []).filter(({ name }) => !names.includes(name));
}

function failedStart(seen: Observation, why: string | undefined): Pick<EtcdClusterStatus, "startFailures"> {
  return why === undefined ? {} : { startFailures: afterStartFailure(seen, why) };
}
