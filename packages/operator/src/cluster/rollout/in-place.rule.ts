import { hasUsableClaim } from "../model/member-state.ts";
import type { MemberSeen } from "../model/members.ts";
import type { PodSeen } from "../model/observation.ts";
import type { Situation } from "../model/situation.ts";
import { claimHash, isHashOf } from "../objects/pod/spec-hash.ts";
import { activeRestore } from "../restore/restoring.rule.ts";
import { membersToRestart } from "../tls/tls-step.rule.ts";
import { takesVersion } from "./takes-version.rule.ts";

/**
 * How a member can get to what the spec says with the data that it has: by another image in its pod, or by another pod
 * on its volume; undefined when its data cannot come along.
 */
export function wayInPlace(
  member: MemberSeen,
  pod: PodSeen,
  version: string,
  now: Situation,
): "image" | "pod" | undefined {
  if (!isMadeDifferently(member, pod, now) && takesVersion(version, pod)) return "image";
  return hasTheRightVolume(member, pod, now) ? "pod" : undefined;
}

/**
 * Whether a pod would be made otherwise today, apart from its image. Those of coreos/etcd-operator do not record what
 * they were created from.
 */
export function isMadeDifferently(member: MemberSeen, pod: PodSeen, { seen, spec, status }: Situation): boolean {
  const isRestarted = membersToRestart(seen).includes(pod.name);
  const isOfOtherSpec = pod.specHash !== undefined && !isHashOf(pod.specHash, spec);
  return isRestarted || isOfOtherSpec || isMadeToRestore(pod, status) || isOnOtherVolume(member, pod, claimHash(spec));
}

/**
 * Its pod could restore the snapshot again. It has to be replaced when the restored cluster is complete, and not
 * before.
 */
function isMadeToRestore({ restoring }: PodSeen, status: Situation["status"]): boolean {
  return restoring !== undefined && !activeRestore(status);
}

/** Its pod may be of this spec, and the claim of an earlier one: between the two the spec was changed. */
function isOnOtherVolume({ claim }: MemberSeen, { usesClaim }: PodSeen, wanted: string | undefined): boolean {
  return usesClaim && claim?.claimHash !== undefined && claim.claimHash !== wanted;
}

function hasTheRightVolume(member: MemberSeen, pod: PodSeen, { spec }: Situation): boolean {
  const wanted = claimHash(spec);
  if (!wanted || !pod.usesClaim || !hasUsableClaim(member)) return false;
  return !isOnOtherVolume(member, pod, wanted);
}
