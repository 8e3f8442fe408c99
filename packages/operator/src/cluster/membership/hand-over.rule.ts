import { factsOf } from "@etcd-operator/etcd-client";
import type { Action } from "../model/action.ts";
import type { ListedMember, Situation } from "../model/situation.ts";
import { stallOf } from "../model/stalls.ts";
import { reportedVersion } from "../rollout/version-step.rule.ts";

/** Before 3.3 a leader cannot hand over; the others elect another when it is gone. */
export function canMoveLeader(member: ListedMember, now: Situation): boolean {
  const version = reportedVersion(member, now);
  return version === undefined || factsOf(version).canMoveLeader;
}

/**
 * A leader moves its leadership to another member before it is restarted or removed; if that fails, to the next one.
 */
export function handOver(
  from: ListedMember,
  { voters, seen }: Situation,
  why: { readonly reason: Action["reason"]; readonly because: string },
): Action | undefined {
  const moves = voters
    .filter(({ health, isLeader }) => health === "healthy" && !isLeader)
    .map((to): Action => {
      const message = `Moving leadership from ${from.name} to ${to.name}: ${from.name} ${why.because}`;
      return { kind: "move-leader", from: idAndName(from), to: idAndName(to), reason: why.reason, message };
    });
  const waitMs = (move: Action) => stallOf(move, seen)?.leftMs ?? -1;
  return moves.reduce<Action | undefined>(
    (best, move) => (best && waitMs(best) <= waitMs(move) ? best : move),
    undefined,
  );
}

export function idAndName({ name, etcd }: ListedMember) {
  return { name, id: etcd.id };
}
