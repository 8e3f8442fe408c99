import type { Action } from "../model/action.ts";
import { wantedSize } from "../model/desired-size.ts";
import { losesVolume } from "../model/member-state.ts";
import { keepsQuorumWithout } from "../model/quorum.ts";
import { recheckSoonMs } from "../model/recheck-soon.ts";
import { type ListedMember, type Rule, type Situation, votersOf } from "../model/situation.ts";
import { outdatedVoters } from "../rollout/outdated.rule.ts";
import { canMoveLeader, handOver, idAndName } from "./hand-over.rule.ts";
import { sharedPlace } from "./spread.rule.ts";

/**
 * Fewer members: the least useful ones are removed, as long as those that are seen healthy are a majority of what
 * remains.
 */
export const scaleDown: Rule = (now) => {
  const { listed, spec, voters } = now;
  if (listed.length <= wantedSize(now)) return undefined;
  const isOutdated = new Set(outdatedVoters(now).map(({ name }) => name));
  const [victim, ...further] = listed.filter(({ isExternal }) => !isExternal).sort(byUse(isOutdated, crowdedIn(now)));
  if (!victim) return undefined;
  const doubtful = victim.etcd.isLearner ? undefined : inDoubt(victim, voters);
  if (doubtful) return waitFor(doubtful, now);
  if (victim.isLeader && canMoveLeader(victim, now)) {
    return handOver(victim, now, { reason: "MovingLeader", because: "is to be removed" });
  }
  const others = alongWith(victim, further.slice(0, listed.length - wantedSize(now) - 1), voters);
  const names = [victim, ...others].map(({ name }) => name).join(", ");
  return {
    kind: "remove-member",
    member: idAndName(victim),
    ...(others.length > 0 && { others: others.map(idAndName) }),
    because: "surplus",
    why: whySurplus(victim, isOutdated.has(victim.name), spec.size),
    reason: "ScalingDown",
    message: `Current cluster size: ${listed.length}, desired cluster size: ${spec.size}; removing ${names}`,
  };
};

function whySurplus(victim: ListedMember, isOutdated: boolean, size: number): string {
  if (losesVolume(victim)) return `spec.size is ${size}, and its PVC is being deleted`;
  return isOutdated ? `spec.size is ${size}, and it does not run with the current spec` : `spec.size is ${size}`;
}

/**
 * Where all are healthy, the other surplus members need no check of their own; but a leader moves its leadership first.
 */
function alongWith(
  victim: ListedMember,
  surplus: readonly ListedMember[],
  voters: readonly ListedMember[],
): readonly ListedMember[] {
  const isPlain = !victim.etcd.isLearner && !victim.isLeader;
  const areWell = voters.every(({ health, pod }) => health === "healthy" && pod?.isReady);
  return isPlain && areWell ? surplus.filter(({ isLeader }) => !isLeader) : [];
}

/** Of two on one node, or in one zone, the loss of it takes both, so one of them is the less useful. */
function crowdedIn(now: Situation): ReadonlySet<string> {
  return new Set(sharedPlace(now, now.spec.size)?.members.map(({ name }) => name));
}

/**
 * The less useful first: learners, those that are not healthy, those of an earlier spec, those on the node or in the
 * zone with most members, the youngest; and a leader after its like.
 */
function byUse(
  outdated: ReadonlySet<string>,
  crowded: ReadonlySet<string>,
): (a: ListedMember, b: ListedMember) => number {
  const use = ({ name, etcd, health, isLeader }: ListedMember) => {
    if (etcd.isLearner) return 0;
    if (health !== "healthy") return 1;
    return (outdated.has(name) ? 2 : crowded.has(name) ? 4 : 6) + Number(isLeader);
  };
  return (a, b) => use(a) - use(b) || ageOf(a) - ageOf(b) || (a.name < b.name ? -1 : 1);
}

function ageOf({ pod }: ListedMember): number {
  return -(pod?.createdAtMs ?? 0);
}

/** A voter that has not opened its gate yet. */
function isComing({ pod, health }: ListedMember): boolean {
  return health === "healthy" && pod?.gate === "closed";
}

/**
 * The members that have to respond before a voter can be removed; a learner can always be. A replaced member is removed
 * when its successor serves.
 */
function inDoubt(victim: ListedMember, voters: readonly ListedMember[]): ListedMember | undefined {
  const unseen = voters.find((voter) => isUnseen(voter) || (voter !== victim && isComing(voter)));
  return unseen ?? (keepsQuorumWithout(votersOf(voters), victim.name) ? undefined : victim);
}

/**
 * A member whose pod runs nothing, for a reason that Kubernetes reports, is down for certain, though it cannot be
 * queried.
 */
function isUnseen({ health, pod }: ListedMember): boolean {
  return health === "unknown" && (pod?.trouble === undefined || pod.isEtcdRunning);
}

function waitFor({ name }: ListedMember, now: Situation): Action {
  const { listed, spec } = now;
  const message = `Current cluster size: ${listed.length}, desired cluster size: ${spec.size}; waiting for the health of ${name}, which decides whether a member can be removed`;
  return { kind: "hold", ...recheckSoonMs(now), reason: "ScalingDown", message };
}
