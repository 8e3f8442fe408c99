import type { EtcdClusterSpec, EtcdClusterStatus } from "../../api/etcd-cluster.ts";
import type { Action, ObjectId } from "./action.ts";
import { type MemberIntent, type MemberSeen, membersSeen } from "./members.ts";
import type { Observation } from "./observation.ts";
import { hasQuorum, type Voter } from "./quorum.ts";

/** An observation, sorted by what the rules ask of it. */
export interface Situation {
  readonly seen: Observation;
  readonly spec: EtcdClusterSpec;
  readonly status: EtcdClusterStatus;
  readonly intents: readonly MemberIntent[];
  /** All members that any source names. */
  readonly members: readonly MemberSeen[];
  /** Those in etcd's list, as best we know it. */
  readonly listed: readonly ListedMember[];
  readonly voters: readonly ListedMember[];
  readonly learners: readonly ListedMember[];
  /** A majority vouches for the list. */
  readonly isConfirmed: boolean;
}

export type ListedMember = MemberSeen & { readonly etcd: NonNullable<MemberSeen["etcd"]> };

/** Checks a situation and returns the action for it, if there is one. */
export type Rule = (now: Situation) => Action | undefined;

export function situationOf(seen: Observation): Situation {
  const { spec, status = {} } = seen.cluster;
  const members = membersSeen(seen);
  const listed = members.filter((member): member is ListedMember => member.etcd !== undefined);
  return {
    seen,
    spec,
    status,
    intents: status.memberIntents ?? [],
    members,
    listed,
    voters: listed.filter(({ etcd }) => !etcd.isLearner),
    learners: listed.filter(({ etcd }) => etcd.isLearner),
    isConfirmed: seen.membership.kind === "confirmed",
  };
}

/** The voters for the worst case: only one that was seen healthy, in a pod that stays as it is, counts as up. */
export function votersOf(members: readonly MemberSeen[]): readonly Voter[] {
  return members.map(({ name, health, pod }) => {
    const isLeaving = pod?.isTerminating === true || pod?.awaitsNewImage === true;
    return { name, isUp: health === "healthy" && !isLeaving };
  });
}

/** Whether a majority serves, as far as is seen; some of it may be terminating. */
export function hasHealthyMajority({ isConfirmed, voters }: Situation): boolean {
  return isConfirmed && hasQuorum(voters.map(({ name, health }) => ({ name, isUp: health === "healthy" })));
}

/** Whether changes can be made at all: a majority vouches for the list, and we see it ourselves. */
export function canDecide(now: Situation): boolean {
  return now.isConfirmed && hasQuorum(votersOf(now.voters));
}

/** Whether a member has been in the cluster as itself, by the list's word. */
export function isStarted({ etcd }: MemberSeen): boolean {
  return etcd !== undefined && etcd.name !== "";
}

/**
 * Whether its pod, and its claim where it has one, say which member they hold; from then on the guard insists on it.
 */
export function isIdentified({ etcd, pod, claim }: MemberSeen): boolean {
  if (!etcd || pod?.memberId !== etcd.id) return false;
  return !pod.usesClaim || claim?.memberId === etcd.id;
}

export function idOf({ name, uid, resourceVersion }: ObjectId): ObjectId {
  return { name, uid, resourceVersion };
}

/** Names as a sentence has them. */
export function listOf(names: readonly string[]): string {
  return [...names].sort().join(", ");
}
