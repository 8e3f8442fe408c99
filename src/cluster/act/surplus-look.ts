import type { Pod } from "kubernetes-types/core/v1.d.ts";
import type { Stored } from "../../kubernetes/kube-object.ts";
import { resources } from "../../kubernetes/resources.ts";
import type { MemberId } from "../action.ts";
import { idsOf, listedMembers } from "../members.ts";
import type { Observation } from "../observation.ts";
import { ownAnnotations } from "../observe/own-annotations.ts";
import { isOwnedBy } from "../observe/ownership.ts";
import { canLoseOneMore, type Voter } from "../quorum.ts";
import { situationOf, votersOf } from "../situation.ts";
import { leavingAmong } from "./live-reads.ts";
import { settled } from "./postponed.ts";
import type { Look, Removed } from "./remove-one.ts";
import type { Work } from "./work.ts";

/** For longer than this nobody goes by what members have answered. */
const ANSWERS_HOLD_MS = 500;

export interface SurplusLook {
  /** For the first of them. */
  readonly look: Look;
  /** By the id of the member: those that say that they hold it, and stay. */
  readonly pods: ReadonlyMap<string, Stored<Pod>>;
}

/**
 * A live look for members that are too many: at the cluster, its list of members, and its pods. What the members themselves have answered in
 * this very pass holds if, of those who will stay, one more could fail and the rest would still be a majority; else they are asked again.
 */
export async function lookForSurplus(work: Work, member: MemberId, others: readonly MemberId[]): Promise<SurplusLook> {
  const { seen, live, etcd } = work;
  const [change, list, pods] = await settled([
    live.clusterHasChanged(),
    etcd.members(member.name),
    live.labelled(resources.pods),
  ]);
  const found = new Map([member, ...others].flatMap((each) => podHolding(seen, pods, each)));
  if (change) return { look: change, pods: found };
  if (list.kind === "postponed") return { look: list, pods: found };
  const heard = votersHeard(seen, leavingAmong(pods));
  const holds = idsOf(list.members) === idsOf(listedMembers(seen)) && canGoBy(work, heard, [member, ...others]);
  return { look: { ...list, voters: holds ? heard : await etcd.voters(list.members) }, pods: found };
}

/** What a look says for the next one after a removal; undefined if there has to be another. Who is left is what etcd answered. */
export function lookAfter(
  work: Work,
  done: {
    readonly member: MemberId;
    readonly others: readonly MemberId[];
    readonly look: Look;
    readonly removed: Removed;
  },
): Look | undefined {
  const { member, others, look, removed } = done;
  if (look.kind === "postponed" || removed.kind === "postponed" || !removed.left) return undefined;
  const expected = look.members.filter(({ id }) => id !== member.id);
  const voters = look.voters.filter(({ name }) => name !== member.name);
  const holds = idsOf(removed.left) === idsOf(expected) && canGoBy(work, voters, others);
  return holds ? { ...look, members: removed.left, voters } : undefined;
}

/** Asking again costs more than the removals: etcd that has just lost a member is busy, and the machine with the end of that member. */
function canGoBy({ seen, clock }: Work, voters: readonly Voter[], going: readonly MemberId[]): boolean {
  const ageMs = clock.now() - seen.nowMs;
  const staying = voters.filter(({ name }) => !going.some((each) => each.name === name));
  return ageMs >= 0 && ageMs <= ANSWERS_HOLD_MS && canLoseOneMore(staying);
}

function votersHeard(seen: Observation, leaving: ReadonlySet<string>): readonly Voter[] {
  return situationOf(seen).voters.map((member) => {
    const isItself = member.pod?.answer.status?.memberId === member.etcd.id;
    const isUp = isItself && !leaving.has(member.name) && votersOf([member]).every((voter) => voter.isUp);
    return { name: member.name, isUp };
  });
}

/** The very pod that was seen, if it still says that it holds this member, and stays. */
function podHolding(
  { cluster, pods: seenPods }: Observation,
  pods: readonly Stored<Pod>[],
  { name, id }: MemberId,
): readonly (readonly [string, Stored<Pod>])[] {
  const known = seenPods.find((pod) => pod.name === name);
  const pod = pods.find(({ metadata }) => metadata.name === name);
  if (!pod || pod.metadata.uid !== known?.uid || pod.metadata.deletionTimestamp) return [];
  const { memberId, clusterId } = ownAnnotations(pod);
  const isIts = memberId === id && clusterId === cluster.status?.clusterID && isOwnedBy(pod, cluster.metadata.uid);
  return isIts ? [[id, pod]] : [];
}
