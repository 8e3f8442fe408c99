import { factsOf } from "../../etcd/version-facts.ts";
import type { Action } from "../action.ts";
import type { ListedMember, Situation } from "../situation.ts";
import { reportedVersion } from "../version-step.ts";

/** Before 3.3 a leader cannot hand over; the others elect another when it is gone. */
export function canMoveLeader(member: ListedMember, now: Situation): boolean {
  const version = reportedVersion(member, now);
  return version === undefined || factsOf(version).canMoveLeader;
}

/** Whoever leads lets another lead before it is taken down or goes. */
export function handOver(
  from: ListedMember,
  { voters }: Situation,
  why: { readonly reason: string; readonly because: string },
): Action | undefined {
  const to = voters.find(({ health, isLeader }) => health === "healthy" && !isLeader);
  if (!to) return undefined;
  const [leader, next] = [idAndName(from), idAndName(to)];
  const message = `${from.name} leads and ${why.because}: ${to.name} takes over`;
  return { kind: "move-leader", from: leader, to: next, reason: why.reason, message };
}

export function idAndName({ name, etcd }: ListedMember) {
  return { name, id: etcd.id };
}
