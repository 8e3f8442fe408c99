import type { Stored } from "@etcd-operator/kubernetes-client";
import { resources } from "@etcd-operator/kubernetes-client";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { leavingAmong } from "../act/live-reads.ts";
import { settled } from "../act/postponed.ts";
import type { Work } from "../act/work.ts";
import type { MemberId } from "../model/action.ts";
import { idsOf, listedMembers, nameOf } from "../model/members.ts";
import type { AnswerSeen, Observation } from "../model/observation.ts";
import { canLoseOneMore, type Voter } from "../model/quorum.ts";
import { ownAnnotations } from "../observe/own-annotations.ts";
import { isOwnedBy } from "../observe/ownership.ts";
import { type Look, lookFor, type Removed } from "./remove-one.act.ts";

/** Answers of members older than this are not used. */
const ANSWERS_HOLD_MS = 500;

export interface SurplusLook {
  /** For the first of them. */
  readonly look: Look;
  /** By the id of the member: those that say that they hold it, and stay. */
  readonly pods: ReadonlyMap<string, Stored<Pod>>;
}

/**
 * A live check for surplus members: of the cluster, its list of members, and its pods. What the members
 * themselves have answered in this very reconcile holds if, of those that will stay, one more could fail and the rest
 * would still be a majority; else they are asked again.
 */
export async function lookForSurplus(work: Work, member: MemberId, others: readonly MemberId[]): Promise<SurplusLook> {
  const going = [member, ...others];
  const heard = canGoBy(work, votersHeard(work.seen), going) ? await lookByHearing(work, going) : undefined;
  if (heard) return heard;
  const [look, pods] = await settled([lookFor(work, member), work.live.labelled(resources.pods)]);
  return { look, pods: podsHolding(work.seen, pods, going) };
}

/** Undefined when the answers are not of the current members. */
async function lookByHearing(work: Work, going: readonly MemberId[]): Promise<SurplusLook | undefined> {
  const { seen, live, etcd } = work;
  const [change, list, stored] = await settled([
    live.clusterHasChanged(),
    etcd.members(going.map(({ name }) => name)),
    live.labelled(resources.pods),
  ]);
  const pods = podsHolding(seen, stored, going);
  if (change) return { look: change, pods };
  if (list.kind === "postponed") return { look: list, pods };
  const voters = votersHeard(seen, stored);
  const holds = idsOf(list.members) === idsOf(listedMembers(seen)) && canGoBy(work, voters, going);
  return holds ? { look: { ...list, voters }, pods } : undefined;
}

/** A removal, and what it was decided by. */
export interface SurplusRemoval {
  readonly member: MemberId;
  /** The members to be removed after it. */
  readonly others: readonly MemberId[];
  readonly look: Look;
  readonly removed: Removed;
}

/**
 * The result of a check for the next removal; undefined if another check is needed. The remaining members are those
 * that etcd returned.
 */
export function lookAfter(work: Work, { member, others, look, removed }: SurplusRemoval): Look | undefined {
  if (look.kind === "postponed" || removed.kind === "postponed" || !removed.left) return undefined;
  // A member to be removed may not answer any more.
  if ([member, ...others].some(({ name }) => name === look.from)) return undefined;
  const expected = look.members.filter(({ id }) => id !== member.id);
  const voters = look.voters.filter(({ name }) => name !== member.name);
  const holds = idsOf(removed.left) === idsOf(expected) && canGoBy(work, voters, others);
  return holds ? { ...look, members: removed.left, voters } : undefined;
}

/**
 * Asking again costs more than the removals: etcd that has just lost a member is busy, and the machine with the end of
 * that member.
 */
function canGoBy({ seen, clock }: Work, voters: readonly Voter[], going: readonly MemberId[]): boolean {
  const { askedAtMs = Number.NEGATIVE_INFINITY } = seen;
  const staying = voters.filter(({ name }) => !going.some((each) => each.name === name));
  return clock.monotonic() - askedAtMs <= ANSWERS_HOLD_MS && canLoseOneMore(staying);
}

/**
 * The voters by what they answered as themselves, in pods that stay as they are; where live pods are given, by those.
 */
function votersHeard(seen: Observation, live?: readonly Stored<Pod>[]): readonly Voter[] {
  const leaving = leavingAmong(live ?? []);
  const isThere = (uid: string) => !live || live.some(({ metadata }) => metadata.uid === uid);
  const voters = listedMembers(seen).filter(({ isLearner }) => !isLearner);
  return voters.map((voter) => {
    const name = nameOf(voter);
    const pod = seen.pods.find((each) => each.name === name);
    const stays = pod && !pod.isTerminating && !pod.awaitsNewImage && isThere(pod.uid) && !leaving.has(name);
    return { name, isUp: stays === true && answersAs(pod.answer, voter.id) };
  });
}

function answersAs({ health, status }: AnswerSeen, memberId: string): boolean {
  return health === "healthy" && status?.memberId === memberId;
}

/** The very pods that were seen, of those that still say that they hold their member, and stay. */
function podsHolding(
  { cluster, pods: seenPods }: Observation,
  pods: readonly Stored<Pod>[],
  going: readonly MemberId[],
): SurplusLook["pods"] {
  const isIts = (pod: Stored<Pod>, { name, id }: MemberId) => {
    const { memberId, clusterId } = ownAnnotations(pod);
    const isSeen = seenPods.some((each) => each.name === name && each.uid === pod.metadata.uid);
    const stays = isSeen && !pod.metadata.deletionTimestamp && isOwnedBy(pod, cluster.metadata.uid);
    return stays && memberId === id && clusterId === cluster.status?.clusterID;
  };
  return new Map(
    going.flatMap((member) => pods.filter((pod) => isIts(pod, member)).map((pod) => [member.id, pod] as const)),
  );
}
