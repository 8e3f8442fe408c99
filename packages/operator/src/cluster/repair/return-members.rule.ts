import { newestRecord } from "../bootstrap/cluster-record.ts";
import type { MemberToStart } from "../model/action.ts";
import { hasUsableClaim } from "../model/member-state.ts";
import type { MemberSeen } from "../model/members.ts";
import type { ClaimSeen } from "../model/observation.ts";
import { isOutdatedPod } from "../model/replacement.ts";
import { idOf, listOf, type Rule, type Situation } from "../model/situation.ts";
import { versionStep } from "../rollout/version-step.rule.ts";
import { versionOfReturningMember } from "../rollout/versions.rule.ts";

/**
 * A member whose pod is gone comes back to its volume as itself. It changes no membership, so it needs no majority; and
 * where too many are gone it is what brings the majority back.
 */
export const returnMembers: Rule = (now) => {
  if (!now.status.clusterID) return undefined;
  const returning = now.members.filter((member) => belongsToCluster(member, now) && hasUsableClaim(member));
  const ended = returning.flatMap((member) =>
    member.pod && !member.pod.isTerminating && isUseless(member, now) ? [idOf(member.pod)] : [],
  );
  if (ended.length > 0) {
    const message = `${listOf(ended.map(({ name }) => name))} ended permanently: creating a new pod on its volume`;
    return { kind: "delete-pods", pods: ended, reason: "ReturningMember", message };
  }
  const members = returning.flatMap((member) => (member.pod ? [] : toReturn(member, now)));
  if (members.length === 0) return undefined;
  const message = `Restarting ${listOf(members.map(({ name }) => name))} on the same volume`;
  return { kind: "start-members", members, reason: "ReturningMember", message };
};

/** It ended for good, or waits for something that the spec does not ask for any more. */
function isUseless(member: MemberSeen, now: Situation): boolean {
  const { pod } = member;
  if (!pod || pod.stage === "ended") return pod !== undefined;
  if (pod.stage !== "pending" || !pod.usesClaim) return false;
  // While it waited, it may have been given what the others are about to get.
  const step = versionStep(now);
  const versions = [versionOfReturningMember(member, now), ...(step.kind === "roll" ? [step.to] : [])];
  return versions.every((version) => isOutdatedPod(pod, version, now));
}

function belongsToCluster({ etcd, claim }: MemberSeen, { seen, status }: Situation): boolean {
  if (claim?.clusterId !== status.clusterID) return false;
  // No member responds and nothing is recorded, after a status was lost: the volumes are all there is.
  const isAllWeHave = seen.membership.kind === "unknown" && (status.memberStatus ?? []).every(({ id }) => !id);
  return etcd !== undefined || (isAllWeHave && isOnRecord(claim, seen));
}

/**
 * Whether a volume's member was a voter when that was last written down. One that was removed since could elect a
 * leader with others like it.
 */
function isOnRecord(claim: ClaimSeen | undefined, { claims, cluster }: Situation["seen"]): boolean {
  const { memberId = "", isLeaving } = claim ?? {};
  const record = newestRecord(claims.filter(({ clusterId }) => clusterId === cluster.status?.clusterID));
  return record === undefined || (!isLeaving && record.voters[memberId] !== undefined);
}

function toReturn(member: MemberSeen, now: Situation): MemberToStart[] {
  const { clusterId, memberId, incarnation } = member.claim ?? {};
  if (!member.claim || !clusterId || !memberId) return [];
  return [
    {
      name: member.name,
      version: versionOfReturningMember(member, now),
      incarnation: incarnation ?? now.status.incarnation ?? 1,
      start: { kind: "returning", clusterId, memberId },
      claim: idOf(member.claim),
      ...reachedBy(memberId, now),
    },
  ];
}

function reachedBy(memberId: string, { seen }: Situation): Pick<MemberToStart, "logReached"> {
  const logReached = seen.savedLogs?.get(memberId);
  return logReached ? { logReached } : {};
}
