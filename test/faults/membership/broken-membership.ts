import type { Member } from "@etcd-operator/etcd-client";

/** The members of a cluster at a moment, as one of its members knew it. */
export interface MemberSample {
  readonly atMs: number;
  /** The pod that was asked. */
  readonly by: string;
  readonly clusterId: bigint;
  readonly members: readonly Pick<Member, "id" | "name" | "isLearner">[];
}

/**
 * etcd itself takes no second addition before all members have been connected for 5 s, and a member has to come up in
 * between.
 */
const CLOSE_MS = 1_000;

/**
 * What of a list of members, or of what became of it since it was last read, shows two changes of the membership
 * under way at once. Removals may follow each other in no time, so these show nothing.
 */
export function brokenMembership(now: MemberSample, before: MemberSample | undefined): readonly string[] {
  const joining = now.members.filter(({ name, isLearner }) => name === "" || isLearner);
  const added = before && isClose(now, before) ? votersOf(now).filter((id) => !votersOf(before).includes(id)) : [];
  return [
    ...(joining.length > 1 ? [`${hex(joining.map(({ id }) => id))} were joining at the same time`] : []),
    ...(added.length > 1 ? [`${hex(added)} became voters at the same time`] : []),
  ];
}

function isClose(now: MemberSample, before: MemberSample): boolean {
  // Servers before 3.5 answer from their own copy, so another one may know more.
  return now.by === before.by && now.clusterId === before.clusterId && now.atMs - before.atMs <= CLOSE_MS;
}

function votersOf({ members }: MemberSample): readonly bigint[] {
  return members.filter(({ isLearner }) => !isLearner).map(({ id }) => id);
}

function hex(ids: readonly bigint[]): string {
  return ids.map((id) => id.toString(16)).join(" and ");
}
