import { formatVersion, parseVersion } from "@etcd-operator/etcd-client";
import { imageGiven } from "../model/image-given.ts";
import { mayReturn } from "../model/member-state.ts";
import { isBeingRolled } from "../model/replacement.ts";
import type { ListedMember, Rule, Situation } from "../model/situation.ts";
import { etcdImage } from "../objects/pod/pod.ts";
import { isMadeDifferently } from "../rollout/in-place.rule.ts";
import { outdatedVoters } from "../rollout/outdated.rule.ts";
import { hasDataToBringDown, minorLeftBy, type Outdated, restartOf } from "../rollout/restart.rule.ts";

/**
 * A member in whose pod nothing runs gets what the spec says at once, with a majority or without one: a spec that was
 * corrected or withdrawn may be all that it needs, and nothing is taken down for it.
 */
export const unstickMember: Rule = (now) => {
  if (!now.status.clusterID) return undefined;
  const isIdle = ({ pod, health }: ListedMember) => pod !== undefined && !pod.isEtcdRunning && health !== "healthy";
  const stuck = outdatedVoters(now)
    .filter((member) => isIdle(member) && mayReturn(member))
    .flatMap((member) => withinMinor(member, now))
    .find((member) => isOfOtherSpec(member, now) || needsImage(member, now));
  return stuck && restartOf(stuck, now);
};

/**
 * No member leaves a minor that way, because that needs more checks; what remains may be another repository, or the
 * patch that it ran.
 */
function withinMinor(member: Outdated, now: Situation): Outdated[] {
  const { pod, change } = member;
  if (change.kind !== "image" || minorLeftBy(member, now) === undefined) return [member];
  if (pod?.version === undefined) return [];
  const version = patchThatRan(member, now) ?? pod.version;
  const image = etcdImage(now.seen.cluster, version);
  return image === imageGiven(pod, now.seen.cluster) ? [] : [{ ...member, change: { kind: "image", image, version } }];
}

/** What it ran before it was given a patch that does not come up, of the same minor. */
function patchThatRan({ name, pod }: Outdated, { status }: Situation): string | undefined {
  const ran = parseVersion(status.memberStatus?.find((member) => member.name === name)?.version ?? "");
  const isOfMinor = ran !== undefined && ran.minor === parseVersion(pod?.version ?? "")?.minor;
  return pod?.trouble !== undefined && isOfMinor ? formatVersion(ran) : undefined;
}

/**
 * Its pod can be created again without its data. A returning member may have another version than the spec's, and is
 * not restarted again.
 */
function isOfOtherSpec(member: Outdated, now: Situation): boolean {
  const { change, pod } = member;
  return change.kind === "pod" && pod !== undefined && isMadeDifferently(member, pod, now);
}

/** Not one that is merely starting; and an image with which another one has not started is given to no other member. */
function needsImage(member: Outdated, now: Situation): boolean {
  const { change, pod, name } = member;
  if (change.kind !== "image" || hasDataToBringDown(member, now)) return false;
  const hasInVain = (other: ListedMember) =>
    other.name !== name &&
    other.pod !== undefined &&
    imageGiven(other.pod, now.seen.cluster) === change.image &&
    !other.pod.isEtcdRunning &&
    isBeingRolled(other, now);
  return (isBeingRolled(member, now) || pod?.trouble !== undefined) && !now.voters.some(hasInVain);
}
