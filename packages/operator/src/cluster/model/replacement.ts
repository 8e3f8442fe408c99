import { isSameRelease } from "@etcd-operator/etcd-client";
import { etcdImage } from "../objects/pod/pod.ts";
import { podHash } from "../objects/pod/pod-hash.ts";
import { isHashOf } from "../objects/pod/spec-hash.ts";
import { versionOfNewMember } from "../rollout/versions.rule.ts";
import { hasTlsDefects } from "../tls/tls-step.rule.ts";
import { imageAsked } from "./image-given.ts";
import { awayMs, LASTING } from "./lasting.ts";
import { hasUsableClaim, isJoining, mayReturn } from "./member-state.ts";
import { isDuplicate, type MemberSeen } from "./members.ts";
import type { PodSeen } from "./observation.ts";
import type { Situation } from "./situation.ts";
import type { Stalled } from "./stalls.ts";

/**
 * Whether a member has been away for as long as the user allows. One that the kubelet reports as ready serves its
 * clients: that we do not reach it is our trouble and not its. Unless another member was reached there: then the ready
 * one is not the member.
 */
export function isLate(member: MemberSeen, now: Situation): boolean {
  const lateAtMs = lateFromMs(member, now);
  return lateAtMs !== undefined && now.seen.nowMs >= lateAtMs;
}

/**
 * From when on a member is late; undefined for one that is not away. One that is busy with its database is not: its
 * time begins when that has ended, or has lasted for longer than any defragmentation should.
 */
function lateFromMs(member: MemberSeen, { spec }: Pick<Situation, "spec">): number | undefined {
  const { notHealthySinceMs, pod, defragmenting } = member;
  if (notHealthySinceMs === undefined || (pod?.isReady && !isDuplicate(member))) return undefined;
  const busyUntilMs = defragmenting
    ? Math.min(defragmenting.untilMs, defragmenting.sinceMs + DEFRAGMENTATION_MS)
    : notHealthySinceMs;
  return Math.max(notHealthySinceMs, busyUntilMs) + spec.memberReplacement.afterSeconds * 1000;
}

/** Enough for 8 GiB, the most that etcd recommends, on a disk that reads and writes 5 MiB/s. */
export const DEFRAGMENTATION_MS = 1_800_000;

/**
 * How long until a member may be replaced; undefined for one that is not away. What is written down may be of another
 * clock, or from before ours was set, so this process must have seen it away for the time, too; one that has just taken
 * over waits again.
 */
export function untilOverdueMs(member: MemberSeen, now: Pick<Situation, "spec" | "seen">): number | undefined {
  const lateAtMs = lateFromMs(member, now);
  if (lateAtMs === undefined) return undefined;
  const waitMs = now.spec.memberReplacement.afterSeconds * 1000;
  return Math.max(lateAtMs - now.seen.nowMs, waitMs - seenAwayMs(member, now.seen));
}

/** How long this process has seen it away and not busy, or busy for longer than it may be. */
function seenAwayMs({ name, pod }: MemberSeen, { seenFor }: Situation["seen"]): number {
  if (pod?.answer.isDefragmenting) return seenFor.ms(LASTING.away(name)) - DEFRAGMENTATION_MS;
  return seenFor.ms(LASTING.silent(name));
}

/** Whether a member that is late is replaced. */
function isOverdue(member: MemberSeen, now: Situation): boolean {
  return (untilOverdueMs(member, now) ?? 1) <= 0 && !isHeldUp(member, now);
}

/** As long as Kubernetes itself waits for a node that stopped reporting. */
const SILENCE_MS = 300_000;

/**
 * Whether what a member was given keeps it from coming up: another one would fare no better, so it waits until that is
 * corrected or reverted. Where no trouble is reported it may as well be its node.
 */
function isHeldUp(member: MemberSeen, now: Situation): boolean {
  const { pod } = member;
  // With unusable certificates no successor could be started.
  if (hasTlsDefects(now.seen)) return true;
  if (!pod || pod.isTerminating || pod.stage === "ended" || isKeptFromVolume(pod)) return false;
  if (isJoining(member)) return pod.stage === "pending" && hasYetToBeStarted(pod, member, now);
  // A claim that is to be deleted is deleted with its pod: it cannot be corrected on that claim.
  if (pod.usesClaim && !hasUsableClaim(member)) return false;
  const isHeardOf = pod.trouble !== undefined || pod.answer.status !== undefined;
  return hasYetToServe(member, now) && (isHeardOf || awayMs(member, now.seen) < SILENCE_MS);
}

/**
 * The scheduler or the kubelet has yet to do its part for a new member: another one would only wait again. What is on a
 * node whose kubelet does not take it up, or has said nothing for long, waits for a node that may be dead.
 */
function hasYetToBeStarted({ trouble, isScheduled, isAccepted }: PodSeen, member: MemberSeen, now: Situation): boolean {
  if (trouble !== undefined || !isScheduled) return true;
  return isAccepted === true && awayMs(member, now.seen) < SILENCE_MS;
}

/** The scheduler finds no node that reaches its volume. That is no other's volume. */
function isKeptFromVolume({ trouble }: PodSeen): boolean {
  return /volume\S* node affinity/i.test(trouble ?? "");
}

/** Whether a voter was given something that it has not served with yet: another image, or another pod. */
export function hasYetToServe(member: MemberSeen, now: Situation): boolean {
  const { name, etcd, pod } = member;
  if (!etcd || etcd.isLearner || !pod || pod.isTerminating || pod.stage === "ended") return false;
  const served = now.status.memberStatus?.find((each) => each.name === name)?.servedPodHash;
  return isBeingRolled(member, now) || (served !== undefined && served !== podHash(pod));
}

/**
 * Whether a voter was given an image that it has not started with. Its data is there, and another one would fare no
 * better: the roll stops, until the version is corrected or withdrawn.
 */
export function isBeingRolled({ name, etcd, pod }: MemberSeen, { status }: Situation): boolean {
  if (!etcd || etcd.isLearner || !pod || pod.isTerminating || pod.stage === "ended") return false;
  if (pod.awaitsNewImage) return true;
  const ran = status.memberStatus?.find((member) => member.name === name)?.version;
  return pod.version !== undefined && ran !== undefined && !isSameRelease(pod.version, ran);
}

/**
 * Whether a member that has not become a voter yet never will: its pod was made from a spec that has been changed
 * since.
 */
export function isOutdatedJoiner(member: MemberSeen, now: Situation): boolean {
  const { pod, health } = member;
  if (!pod || health === "healthy" || now.seen.problems.length > 0) return false;
  // What the others run is as good as what the spec says: the roll comes later.
  const versions = [versionOfNewMember(now), now.status.currentVersion ?? now.spec.version];
  return isJoining(member) && versions.every((version) => isOutdatedPod(pod, version, now));
}

/**
 * Whether a pod differs from the one that would be made today. Those of coreos/etcd-operator do not say what they were
 * made from.
 */
export function isOutdatedPod(pod: PodSeen, version: string, { seen, spec }: Situation): boolean {
  if (pod.specHash === undefined) return false;
  return !isHashOf(pod.specHash, spec) || imageAsked(pod, seen.cluster) !== etcdImage(seen.cluster, version);
}

/** Kubernetes does not take its pod: that of another member it would not take either. */
function isKeptFromStarting({ name, pod }: MemberSeen, { seen }: Situation): boolean {
  const isStart = ({ kind, names }: Stalled) => kind === "start-members" && names.includes(name);
  return pod === undefined && (seen.stalled ?? []).some(isStart);
}

/** Whether another member should replace it. */
export function isToBeReplaced(member: MemberSeen, now: Situation): boolean {
  if (member.health === "healthy" || member.isExternal || isKeptFromStarting(member, now)) return false;
  return !mayReturn(member) || isOverdue(member, now) || isOutdatedJoiner(member, now);
}
