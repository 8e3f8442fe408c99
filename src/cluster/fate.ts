import { isSameRelease } from "../etcd/version.ts";
import { hasUsableClaim } from "./in-place.ts";
import type { MemberSeen } from "./members.ts";
import { etcdImage } from "./objects/pod.ts";
import { specHash } from "./objects/spec-hash.ts";
import type { PodSeen } from "./observation.ts";
import { isStarted, type Situation } from "./situation.ts";
import { versionOfNewMember } from "./versions.ts";

/**
 * Whether a member's data is certainly gone, or certainly not its own, so that it can never come back as itself. Whoever cannot be
 * seen is not lost.
 */
export function isLost(member: MemberSeen): boolean {
  const { pod } = member;
  if (pod?.refusal !== undefined) return true;
  const canReturn = hasUsableClaim(member);
  if (pod === undefined) return !canReturn;
  // Nothing stops a deletion, and what the pod holds goes with it; while it answers, it is healthy and not lost yet.
  return (pod.stage === "ended" || (pod.isTerminating && !pod.usesClaim)) && !canReturn;
}

/**
 * Whether a member has been away for as long as the user lets it. One that the kubelet finds ready serves its clients: that we do not
 * reach it is our trouble and not its.
 */
export function isOverdue(member: MemberSeen, now: Situation): boolean {
  const { notHealthySinceMs, pod } = member;
  const { spec, seen } = now;
  if (notHealthySinceMs === undefined || pod?.isReady || isBeingRolled(member, now)) return false;
  return seen.nowMs - notHealthySinceMs >= spec.memberReplacement.afterSeconds * 1000;
}

/**
 * Whether a voter was given an image that it has not come up with. Its data is there, and another one would fare no better: the roll
 * stops, until the version is corrected or withdrawn.
 */
export function isBeingRolled({ name, etcd, pod }: MemberSeen, { status }: Situation): boolean {
  if (!etcd || etcd.isLearner || !pod || pod.isTerminating || pod.stage === "ended") return false;
  if (pod.awaitsNewImage) return true;
  const ran = status.memberStatus?.find((member) => member.name === name)?.version;
  return pod.version !== undefined && ran !== undefined && !isSameRelease(pod.version, ran);
}

/** Whether a member that has not become a voter yet never will: its pod was made from a spec that has been changed since. */
export function isOutdatedJoiner(member: MemberSeen, now: Situation): boolean {
  const { etcd, pod, health } = member;
  if (!pod || health === "healthy") return false;
  const isJoining = etcd === undefined || etcd.isLearner || !isStarted(member);
  // What the others run is as good as what the spec says: the roll comes later.
  const versions = [versionOfNewMember(now), now.status.currentVersion ?? now.spec.version];
  return isJoining && versions.every((version) => isOutdatedPod(pod, version, now));
}

/** Whether a pod differs from the one that would be made today. Those of the old operator do not say what they were made from. */
export function isOutdatedPod(pod: PodSeen, version: string, { seen, spec }: Situation): boolean {
  if (pod.specHash === undefined) return false;
  return pod.specHash !== specHash(spec) || pod.image !== etcdImage(seen.cluster, version);
}

/** Whether another member should take its place. */
export function isDead(member: MemberSeen, now: Situation): boolean {
  if (member.health === "healthy" || member.isExternal) return false;
  return isLost(member) || isOverdue(member, now) || isOutdatedJoiner(member, now);
}
