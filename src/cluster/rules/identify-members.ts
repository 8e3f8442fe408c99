import type { EtcdClusterSpec } from "../../api/etcd-cluster.ts";
import type { MemberToIdentify } from "../action.ts";
import { specHash } from "../objects/spec-hash.ts";
import { idOf, isIdentified, isStarted, type ListedMember, listOf, type Rule } from "../situation.ts";

/** Writes on pods and claims which members they hold, as soon as the members have said so: from then on no start without the data. */
export const identifyMembers: Rule = ({ listed, spec, status, isConfirmed }) => {
  const { clusterID: clusterId } = status;
  if (!clusterId || !isConfirmed) return undefined;
  const unidentified = listed.filter((member) => canBeIdentified(member) && !isIdentified(member));
  if (unidentified.length === 0) return undefined;
  const message = `${listOf(unidentified.map(({ name }) => name))} must not start without their data from now on`;
  return {
    kind: "identify-members",
    clusterId,
    members: unidentified.map((member) => toIdentify(member, spec)),
    reason: "MembersIdentified",
    message,
  };
};

function canBeIdentified(member: ListedMember): boolean {
  const { etcd, pod } = member;
  if (!pod || pod.isTerminating || !isStarted(member)) return false;
  return pod.answer.status?.memberId === etcd.id && (pod.memberId === undefined || pod.memberId === etcd.id);
}

function toIdentify({ etcd, pod, claim }: ListedMember, spec: EtcdClusterSpec): MemberToIdentify {
  return {
    memberId: etcd.id,
    ...(pod && pod.specHash === undefined && { specHash: specHash(spec) }),
    ...(pod && pod.memberId !== etcd.id && { pod: idOf(pod) }),
    ...(pod?.usesClaim && claim && claim.memberId !== etcd.id && { claim: idOf(claim) }),
  };
}

/** A member that lost its pod before anybody wrote down whose data its claim holds: the list knows its id, and the guard compares. */
export const identifyVolumes: Rule = ({ listed, status, seen }) => {
  const { clusterID: clusterId } = status;
  if (!clusterId) return undefined;
  const nameless = listed.filter(
    (member) =>
      isOnNamelessVolume(member) && !(seen.membership.kind === "unknown" && member.intent?.purpose === "Join"),
  );
  if (nameless.length === 0) return undefined;
  const members = nameless.map(({ etcd, pod, claim }) => ({
    memberId: etcd.id,
    ...(pod?.refusal === "not-empty" && { pod: idOf(pod) }),
    ...(claim && claim.memberId === undefined && { claim: idOf(claim) }),
  }));
  const message = `${listOf(nameless.map(({ name }) => name))} may come back to its volume`;
  return { kind: "identify-members", clusterId, members, reason: "MembersIdentified", message };
};

function isOnNamelessVolume(member: ListedMember): boolean {
  const { pod, claim } = member;
  if (!claim || claim.isTerminating) return false;
  if (pod?.refusal === "not-empty") return pod.memberId === undefined;
  return claim.memberId === undefined && isStarted(member) && (!pod || pod.stage === "ended");
}
