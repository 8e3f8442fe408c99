import type { MemberSeen } from "../model/members.ts";
import type { ClaimSeen } from "../model/observation.ts";
import { idOf, listOf, type Rule, type Situation } from "../model/situation.ts";
import { isKept } from "../restore/restoring.rule.ts";

/** Pods, and then claims, of members that a majority does not know and that are not declared. */
export const removeStrays: Rule = (now) => {
  const { members, spec, status } = now;
  const strays = members.filter((member) => isStray(member, now) && (isWhole(now) || !isOfOtherCluster(member, now)));
  const pods = strays.flatMap(({ pod }) => (pod && !pod.isTerminating ? [idOf(pod)] : []));
  if (pods.length > 0) {
    const message = `Deleting pods of removed members: ${listOf(pods.map(({ name }) => name))}`;
    return { kind: "delete-pods", pods, reason: "RemovingPods", message };
  }
  if (spec.persistentVolumeClaimRetentionPolicy.whenScaled === "Retain") return undefined;
  const goes = (claim: ClaimSeen) => !claim.isTerminating && !isKept(claim, status) && !isAwaitingSuccessor(claim, now);
  const claims = strays.flatMap(({ pod, claim }) => (!pod && claim && goes(claim) ? [idOf(claim)] : []));
  if (claims.length === 0) return undefined;
  const message = `Deleting volumes of removed members: ${listOf(claims.map(({ name }) => name))}`;
  return { kind: "delete-claims", claims, reason: "RemovingClaims", message };
};

/**
 * Whether a claim holds the data of a member whose successor does not vote yet. It was taken for dead, and may have
 * been busy or cut off: if others fail meanwhile, its disk is one more with the acknowledged data. The note on the
 * claim is what a later reconcile, or operator, relies on.
 */
function isAwaitingSuccessor({ memberId }: ClaimSeen, now: Situation): boolean {
  return memberId !== undefined && now.voters.length < now.spec.size && !isVolumeLacking(now);
}

/** Longer than a volume takes that is made for its claim. */
const BINDING_MS = 60_000;

/**
 * No volume is left for the successor beside the one that is kept, as where volumes are local disks; and every voter
 * serves.
 */
function isVolumeLacking({ members, voters, seen }: Situation): boolean {
  const lacksVolume = ({ intent, pod }: MemberSeen) =>
    intent !== undefined &&
    pod?.unschedulableSinceMs !== undefined &&
    seen.nowMs - pod.unschedulableSinceMs >= BINDING_MS &&
    /persistent ?volume/i.test(pod.trouble ?? "");
  return members.some(lacksVolume) && voters.every(({ health }) => health === "healthy");
}

/** What another cluster left under this name, before a restore perhaps, is kept until this one has all its members. */
function isOfOtherCluster({ pod, claim }: MemberSeen, { status }: Situation): boolean {
  return [pod, claim].some((made) => made?.clusterId !== undefined && made.clusterId !== status.clusterID);
}

function isWhole({ voters, spec }: Situation): boolean {
  return voters.length >= spec.size && voters.every(({ health }) => health === "healthy");
}

/**
 * One whose note says that it holds a member's data is not deleted, whatever its name; and what cannot be deleted must
 * not delay the rest.
 */
function isStray({ etcd, intent, pod, claim }: MemberSeen, { listed }: Situation): boolean {
  const isInDoubt = [pod, claim].some((made) => listed.some((member) => member.etcd.id === made?.memberId));
  return etcd === undefined && intent === undefined && !isInDoubt;
}
