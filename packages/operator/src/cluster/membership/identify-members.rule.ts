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
 * Writes on pods and claims which members they hold, as soon as the members have said so: from then on no start without the data.
 * Those of the old operator, or of an earlier release, also get the notes that ours are made with.
 */
export const identifyMembers: Rule = (now) => {
  const { clusterID: clusterId } = now.status;
  if (!clusterId || !now.isConfirmed) return undefined;
  const members = now.listed.flatMap((member) => toIdentify(member, now));
  if (members.length === 0) return undefined;
  const names = members.flatMap(({ pod, claim }) => (pod ?? claim)?.name ?? []);
  const message = `${listOf(names)} must not start without their data from now on`;
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
 * An operator that stopped between two writes did not note what admission made of the image. Once a member has been identified another
 * image is another client's change, whatever has become of the notes, unless an earlier release asked for it.
 */
function unnotedImage(pod: PodSeen, { seen, status }: Situation): string | undefined {
  const asked = imageAsked(pod, seen.cluster);
  const isOld = pod.askedImage === undefined;
  const known = status.memberStatus?.find(({ name }) => name === pod.name);
  const isNoted = pod.memberId !== undefined || known?.servedPodHash !== undefined;
  if (pod.fencedImage !== undefined || pod.isImageChangedByAdmission || !(isOld || !isNoted)) return undefined;
  return asked === pod.image ? undefined : asked;
}

/** One that holds only as long as quantities are written as they are would roll the pod when they are written otherwise. */
function lacksHash({ specHash: hash }: PodSeen, { spec }: Situation): boolean {
  return hash === undefined || isOfNotation(hash, spec);
}

/** Somebody may have changed what it is told when it starts: on an empty directory it would begin anew. */
function startsAlone({ name, flags, metadata }: PodSeen, { seen }: Situation): boolean {
  return isToldOfItself(flags, metadata.annotations, name, memberAddresses(seen.cluster, name).peerUrl);
}

/** Whom it believes is read off the Secrets as they are, which it was started with as far as anybody knows. */
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

/** As far as anybody knows: nothing was edited since it was made. */
function isOfThisSpec(pod: PodSeen, { spec }: Situation): boolean {
  return pod.specHash === undefined || isHashOf(pod.specHash, spec);
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
