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
