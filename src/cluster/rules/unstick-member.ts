import { isSameRelease } from "../../etcd/version.ts";
import { isBeingRolled, isLost } from "../fate.ts";
import { isMadeDifferently } from "../in-place.ts";
import { outdatedVoters } from "../outdated.ts";
import type { ListedMember, Rule, Situation } from "../situation.ts";
import { hasDataToBringDown, minorLeftBy, type Outdated, restartOf } from "./restart.ts";

/**
 * A member in whose pod nothing runs gets what the spec says at once, with a majority or without one: a spec that was corrected or
 * withdrawn may be all that it needs, and nothing is taken down for it.
 */
export const unstickMember: Rule = (now) => {
  if (!now.status.clusterID) return undefined;
  const isIdle = ({ pod, health }: ListedMember) => pod !== undefined && !pod.isEtcdRunning && health !== "healthy";
  const stuck = outdatedVoters(now).find(
    (member) => isIdle(member) && !isLost(member) && (isOfOtherSpec(member, now) || needsVersion(member, now)),
  );
  return stuck && restartOf(stuck, now);
};

/** Its pod can be made anew without its data. Who comes back may have another version than the spec's, and is not sent off again. */
function isOfOtherSpec(member: Outdated, now: Situation): boolean {
  const { change, pod } = member;
  return change.kind === "pod" && pod !== undefined && isMadeDifferently(member, pod, now);
}

/**
 * Not one that is merely starting, nor one that would be the first of another minor; and a version that another one has not started
 * with is given to nobody else.
 */
function needsVersion(member: Outdated, now: Situation): boolean {
  const { change, pod, name } = member;
  if (change.kind !== "image" || minorLeftBy(member, now) || hasDataToBringDown(member, now)) return false;
  const isBarren = (other: ListedMember) =>
    other.name !== name && isSameRelease(other.pod?.version, change.version) && other.pod?.isEtcdRunning === false;
  return (isBeingRolled(member, now) || pod?.trouble !== undefined) && !now.voters.some(isBarren);
}
