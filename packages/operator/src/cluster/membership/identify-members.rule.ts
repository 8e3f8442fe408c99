import { memberAddresses } from "../../api/cluster/cluster-names.ts";
import { recordFor } from "../bootstrap/record-cluster.rule.ts";
import type { MemberToIdentify, ObjectId } from "../model/action.ts";
import { imageAsked } from "../model/image-given.ts";
import type { PodSeen, TlsSeen } from "../model/observation.ts";
import { idOf, isStarted, type ListedMember, listOf, type Rule, type Situation } from "../model/situation.ts";
import { isToldOfItself } from "../objects/pod/initial-cluster.ts";
import { claimHash, isHashOf, isOfNotation, specHash } from "../objects/pod/spec-hash.ts";
import { CA_ANNOTATIONS } from "../tls/ca-annotations.ts";
import { hasTlsDefects, membersToRestart } from "../tls/tls-step.rule.ts";

/**
 * Writes on pods and claims which members they hold, as soon as the members have said so: from then on no start without
 * the data. Pods of coreos/etcd-operator, or of an earlier release, also get the annotations of new ones.
 */
export const identifyMembers: Rule = (now) => {
  const { clusterID: clusterId } = now.status;
  if (!clusterId || !now.isConfirmed) return undefined;
  const members = now.listed.flatMap((member) => toIdentify(member, now));
  if (members.length === 0) return undefined;
  const names = members.flatMap(({ pod, claim }) => (pod ?? claim)?.name ?? []);
  const message = `Recorded the member IDs of ${listOf(names)}; they now refuse to start without their data`;
  return { kind: "identify-members", clusterId, members, reason: "MembersIdentified", message };
};

function toIdentify(member: ListedMember, now: Situation): MemberToIdentify[] {
  const { etcd, pod } = member;
  if (!pod || !canBeIdentified(member, pod)) return [];
  const [onPod, onClaim] = [missingOnPod(pod, etcd.id, now), missingOnClaim(member, pod, now)];
  return onPod || onClaim ? [{ memberId: etcd.id, ...onPod, ...onClaim }] : [];
}

function canBeIdentified(member: ListedMember, pod: PodSeen): boolean {
  if (pod.isTerminating || !isStarted(member)) return false;
  // Whatever its pod says: the list has the member of this name, and it is the one that answers.
  const { status, otherMemberId } = pod.answer;
  return (status?.memberId ?? otherMemberId) === member.etcd.id;
}

function isNotedOn(made: Pick<PodSeen, "memberId" | "clusterId">, memberId: string, { status }: Situation): boolean {
  return made.memberId === memberId && made.clusterId === status.clusterID;
}

type OnPod = Pick<MemberToIdentify, "specHash" | "version" | "changedImage" | "ca"> & { readonly pod: ObjectId };

/** Without notes that we can compare, what is edited later would not reach its pod. */
function missingOnPod(pod: PodSeen, memberId: string, now: Situation): OnPod | undefined {
  const hash = lacksHash(pod, now) ? { specHash: specHash(now.spec) } : {};
  const ca = missingCa(pod, now);
  const changedImage = unnotedImage(pod, now);
  const version = pod.isVersionMisnoted ? pod.version : undefined;
  const isLacking = lacksHash(pod, now) || version !== undefined || ca !== undefined || changedImage !== undefined;
  if (isNotedOn(pod, memberId, now) && !isLacking && startsAlone(pod, now)) return undefined;
  return {
    ...hash,
    ...(version !== undefined && { version }),
    ...(ca && { ca }),
    ...(changedImage !== undefined && { changedImage }),
    pod: idOf(pod),
  };
}

/**
 * An operator that stopped between two writes did not note what admission made of the image. Once a member has been
 * identified another image is another client's change, whatever has become of the notes, unless an earlier release
 * asked for it.
 */
function unnotedImage(pod: PodSeen, { seen, status }: Situation): string | undefined {
  const asked = imageAsked(pod, seen.cluster);
  const isOld = pod.askedImage === undefined;
  const known = status.memberStatus?.find(({ name }) => name === pod.name);
  const isNoted = pod.memberId !== undefined || known?.servedPodHash !== undefined;
  if (pod.fencedImage !== undefined || pod.isImageChangedByAdmission || !(isOld || !isNoted)) return undefined;
  return asked === pod.image ? undefined : asked;
}

/**
 * One that holds only as long as quantities are written as they are would roll the pod when they are written otherwise.
 */
function lacksHash({ specHash: hash }: PodSeen, { spec }: Situation): boolean {
  return hash === undefined || isOfNotation(hash, spec);
}

/** Its start arguments may have been changed: on an empty directory it would start without data. */
function startsAlone({ name, flags, metadata }: PodSeen, { seen }: Situation): boolean {
  return isToldOfItself(flags, metadata.annotations, name, memberAddresses(seen.cluster, name).peerUrl);
}

/** The CAs that it trusts are read from the current Secrets, with which it was started as far as is known. */
function missingCa(pod: PodSeen, now: Situation): TlsSeen["ca"] | undefined {
  const { tls } = now.seen;
  const isOfOthers = hasTlsDefects(now.seen) || membersToRestart(now.seen).includes(pod.name);
  if (!tls || isOfOthers || !isOfThisSpec(pod, now)) return undefined;
  const missing = (listener: keyof typeof CA_ANNOTATIONS) =>
    pod.metadata.annotations[CA_ANNOTATIONS[listener]] === undefined ? tls.ca[listener] : undefined;
  const ca = { peer: missing("peer"), server: missing("server") };
  return ca.peer === undefined && ca.server === undefined ? undefined : ca;
}

type OnClaim = Pick<MemberToIdentify, "claimHash" | "record"> & { readonly claim: ObjectId };

function missingOnClaim(member: ListedMember, pod: PodSeen, now: Situation): OnClaim | undefined {
  const { etcd, claim } = member;
  if (!pod.usesClaim || !claim) return undefined;
  const wanted = claim.claimHash === undefined && isOfThisSpec(pod, now) ? claimHash(now.spec) : undefined;
  if (isNotedOn(claim, etcd.id, now) && wanted === undefined) return undefined;
  return { claim: idOf(claim), ...(wanted !== undefined && { claimHash: wanted }), record: recordFor(member, now) };
}

/** As far as is known: nothing was edited since it was created. */
function isOfThisSpec(pod: PodSeen, { spec }: Situation): boolean {
  return pod.specHash === undefined || isHashOf(pod.specHash, spec);
}

/**
 * A member that lost its pod before the owner of its claim's data was recorded: the list knows its id, and the guard
 * compares.
 */
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
  const message = `Recording the member IDs of ${listOf(nameless.map(({ name }) => name))}, so that they can restart on their volumes`;
  return { kind: "identify-members", clusterId, members, reason: "MembersIdentified", message };
};

function isOnNamelessVolume(member: ListedMember): boolean {
  const { pod, claim } = member;
  if (!claim || claim.isTerminating) return false;
  if (pod?.refusal === "not-empty") return pod.memberId === undefined;
  return claim.memberId === undefined && isStarted(member) && (!pod || pod.stage === "ended");
}
