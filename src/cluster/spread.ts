import { majorityOf } from "./quorum.ts";
import type { ListedMember, Situation } from "./situation.ts";

/** A node whose loss would take the majority, though members could be apart; and the voters on it, the oldest pod first. */
export interface Crowd {
  readonly node: string;
  readonly members: readonly ListedMember[];
}

/** The node that holds too many voters; undefined where none does, as far as is known on which they run. */
export function crowdOf({ voters }: Pick<Situation, "voters">): Crowd | undefined {
  const crowd = fullestNode({ voters });
  return crowd && voters.length - crowd.members.length < majorityOf(voters.length) ? crowd : undefined;
}

/** The node with most voters, if that are two or more. */
export function fullestNode({ voters }: Pick<Situation, "voters">): Crowd | undefined {
  const byNode = new Map<string, ListedMember[]>();
  for (const voter of voters) {
    const node = voter.pod?.nodeName;
    if (node !== undefined) byNode.set(node, [...(byNode.get(node) ?? []), voter]);
  }
  const [fullest] = [...byNode].sort(([a, ofA], [b, ofB]) => ofB.length - ofA.length || (a < b ? -1 : 1));
  if (!fullest || fullest[1].length < 2) return undefined;
  const createdAtMs = ({ pod }: ListedMember) => pod?.createdAtMs ?? 0;
  return { node: fullest[0], members: fullest[1].sort((a, b) => createdAtMs(a) - createdAtMs(b)) };
}
