import { scaleUp } from "../membership/scale-up.rule.ts";
import type { Rule, Situation } from "../model/situation.ts";
import { isInvalid, isOfPods, WHOLE_SPEC } from "../model/usable-spec.ts";
import { etcdImage } from "../objects/pod/pod.ts";
import { podHash } from "../objects/pod/pod-hash.ts";
import { hashesOf } from "../objects/pod/spec-hash.ts";
import { activeRestore } from "../restore/restoring.rule.ts";
import { removeDeadMember } from "./remove-dead-member.rule.ts";
import { resumeJoin } from "./resume-join.rule.ts";
import { returnMembers } from "./return-members.rule.ts";

/** No object exists yet that could be kept, or another cluster is about to replace it, or the intention is unclear. */
export const holdAllWhileInvalid: Rule = (now) => {
  const { seen, status } = now;
  const isBare = !status.clusterID || activeRestore(status) !== undefined;
  return isBare || isInvalid(seen, "spec.paused") ? holdWhileInvalid(now) : undefined;
};

/** A spec that contradicts itself cannot be followed. Existing objects are kept, and no new ones are created. */
export const holdWhileInvalid: Rule = ({ seen }) => {
  if (seen.problems.length === 0) return undefined;
  return { kind: "hold", reason: "InvalidSpec", message: seen.problems.join("; ") };
};

/** A member that lost its pod comes back, and one that was added gets its pod, if pods can be made. */
export const returnMembersWhileInvalid: Rule = (now) => {
  return canMakePods(now) ? (returnMembers(now) ?? resumeJoin(now)) : undefined;
};

/** A voter is removed only where a successor is possible: it may yet come back. */
export const removeDeadMemberWhileInvalid: Rule = (now) => {
  const action = removeDeadMember(now);
  if (action?.kind !== "remove-member" || canMakeMembers(now)) return action;
  const { successor: _, ...removal } = action;
  return now.voters.some(({ name }) => name === action.member.name) ? undefined : removal;
};

/** As many members as before. */
export const scaleUpWhileInvalid: Rule = (now) => {
  return canMakeMembers(now) && now.listed.length < now.spec.size ? scaleUp(now) : undefined;
};

function canMakeMembers(now: Situation): boolean {
  return canMakePods(now) && !isInvalid(now.seen, "spec.size");
}

/**
 * Nothing that a pod is made from is wrong; or members were made from just that, and it has been called wrong since.
 */
function canMakePods(now: Situation): boolean {
  const { invalidFields = [WHOLE_SPEC] } = now.seen;
  if (invalidFields.includes(WHOLE_SPEC)) return false;
  return !invalidFields.some(isOfPods) || haveMembersBeenMadeSo(now);
}

function haveMembersBeenMadeSo({ seen, spec, status }: Situation): boolean {
  const isOfSpec = (hash: string | undefined, version = "") => {
    const image = etcdImage(seen.cluster, version);
    return hashesOf(spec).some((specHash) => podHash({ specHash, image }) === hash);
  };
  return (
    seen.pods.some((pod) => isOfSpec(podHash(pod), pod.version)) ||
    (status.memberStatus ?? []).some(
      ({ podHash: made, servedPodHash: served, version }) => isOfSpec(made, version) || isOfSpec(served, version),
    )
  );
}
