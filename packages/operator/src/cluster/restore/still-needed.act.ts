import { type Postponed, postponed } from "../act/postponed.ts";
import type { Work } from "../act/work.ts";
import { nameOf } from "../model/members.ts";

/** A pod or a claim, as far as it shows its owner. */
export interface Belonging {
  readonly name: string;
  readonly memberId: string | undefined;
  readonly incarnation: number | undefined;
}

/**
 * Why the pod or claim of a member has to stay: while the member is in the list its data may be what the majority
 * needs. Before there is a list, only what was made for abandoned initial members may be deleted.
 */
export async function whyStillNeeded(work: Work, belongings: readonly Belonging[]): Promise<Postponed | undefined> {
  if (!work.seen.cluster.status?.clusterID) return whyNotGivenUp(work, belongings);
  const list = await work.etcd.members();
  if (list.kind === "postponed") return list;
  const needed = belongings.find(({ name, memberId }) =>
    list.members.some((member) => nameOf(member) === name || member.id === memberId),
  );
  return needed && postponed(`${needed.name} is still in the member list`);
}

function whyNotGivenUp({ seen }: Work, belongings: readonly Belonging[]): Postponed | undefined {
  const { memberIntents = [] } = seen.cluster.status ?? {};
  const kept = belongings.find(
    ({ name, memberId, incarnation }) =>
      memberId !== undefined || incarnation === undefined || memberIntents.some((intent) => intent.name === name),
  );
  return kept && postponed(`${kept.name} may belong to a cluster that is not recorded yet`, 1_000);
}
