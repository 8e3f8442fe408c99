import { isDataProvablyGone } from "../model/member-state.ts";
import type { MemberSeen } from "../model/members.ts";
import { majorityOf } from "../model/quorum.ts";
import { hasHealthyMajority, isStarted, type Situation } from "../model/situation.ts";
import { clusterFacts } from "../rollout/versions.rule.ts";
import { activeRestore } from "./restoring.rule.ts";

/** A voter by one list or another. */
interface Voter {
  readonly name: string;
  readonly isGone: boolean;
  readonly answers: boolean;
}

/**
 * The names of voters whose data is provably gone, if they are so many that the others can never be a majority again;
 * else none. A member that is merely unreachable, pending, or being deleted may come back with its data.
 */
export function provablyLost(now: Situation): readonly string[] {
  const { status, seen } = now;
  if (!status.clusterID || isBeingReplaced(status) || seen.problems.length > 0 || hasHealthyMajority(now)) return [];
  const lists = [votersSeen(now), votersNoted(now)].filter((list) => list.length > 0);
  if (lists.length === 0 || !lists.every(isMajorityGone) || mayBeOthers(now)) return [];
  return [...new Set(lists.flat().flatMap(({ name, isGone }) => (isGone ? [name] : [])))];
}

/** Before the restored cluster is on record; from then on it can be lost like any other. */
function isBeingReplaced(status: Situation["status"]): boolean {
  const { state = "Joining" } = activeRestore(status) ?? {};
  return state !== "Joining";
}

/**
 * Voters by any list whose data is not provably lost, and that do not respond: each may have data that no other
 * member has.
 */
export function silentVoters(now: Situation): readonly string[] {
  const silent = [...votersSeen(now), ...votersNoted(now)].filter(({ isGone, answers }) => !isGone && !answers);
  return [...new Set([...silent.map(({ name }) => name), ...nameless(now)])];
}

/**
 * Where there are no learners, an added member votes before it has reported its name: it may be one of two that had
 * everything.
 */
function nameless(now: Situation): readonly string[] {
  if (clusterFacts(now).hasLearners) return [];
  const { pods, claims } = now.seen;
  const waiting = pods.filter(({ stage, answer }) => stage !== "ended" && !answer.status);
  const kept = claims.filter(({ name, isTerminating }) => !isTerminating && !pods.some((pod) => pod.name === name));
  return [...waiting, ...kept].filter(({ memberId }) => memberId === undefined).map(({ name }) => name);
}

/** According to one of those that respond: its copy may be very old. */
function votersSeen({ seen, status, voters }: Situation): readonly Voter[] {
  if (seen.membership.kind === "unknown") return [];
  return voters.map((voter) => {
    const isOurs = !voter.isExternal && isStarted(voter) && !isComing(voter, status);
    return {
      name: voter.name,
      isGone: isOurs && isDataProvablyGone(voter),
      answers: voter.pod?.answer.status !== undefined,
    };
  });
}

/**
 * The list that a majority last confirmed; it has every member that was ever added, because that is recorded first.
 */
function votersNoted({ status, members }: Situation): readonly Voter[] {
  const noted = (status.memberStatus ?? []).filter(({ id, role }) => id && role !== "Learner");
  return noted.map(({ name, podHash }) => {
    const member = members.find((each) => each.name === name);
    // One that we never saw a pod of lives elsewhere, or has yet to start.
    const isOurs = podHash !== undefined && !member?.isExternal && !isComing(member, status);
    return { name, isGone: isOurs && isDataProvablyGone(member), answers: member?.pod?.answer.status !== undefined };
  });
}

/**
 * On its way in, with a pod yet to come. Whom a cluster was restored in has been there since that cluster is on record,
 * whether its intent still stands or not.
 */
function isComing(member: Pick<MemberSeen, "intent"> | undefined, { restore }: Situation["status"]): boolean {
  const purpose = member?.intent?.purpose;
  return purpose === "Join" || (purpose === "Seed" && restore?.state !== "Joining");
}

/**
 * Whether those that are left can never be a majority. A list may be one removal behind, if the operator died right
 * after it: then one of those that are gone does not count any more, and those that do not answer may still be a
 * majority.
 */
function isMajorityGone(voters: readonly Voter[]): boolean {
  const left = voters.filter(({ isGone }) => !isGone);
  const areHeard = left.every(({ answers }) => answers);
  return left.length < voters.length && left.length < majorityOf(areHeard ? voters.length : voters.length - 1);
}

/** When nothing is recorded, every pod with an identity may be a member that the one that responds does not know. */
function mayBeOthers({ seen, status, voters }: Situation): boolean {
  if ((status.memberStatus ?? []).some(({ id }) => id)) return false;
  const identified = [...seen.pods, ...seen.claims].filter(({ memberId }) => memberId !== undefined);
  return identified.some(({ name }) => !voters.some((voter) => voter.name === name));
}
