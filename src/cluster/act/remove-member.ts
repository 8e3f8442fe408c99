import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { clusterLabels } from "../../api/cluster-names.ts";
import { EtcdError } from "../../etcd/etcd-error.ts";
import type { Stored } from "../../kubernetes/kube-object.ts";
import { resources } from "../../kubernetes/resources.ts";
import type { ActionOutcome, MemberId, ObjectId, Removal, Step } from "../action.ts";
import { fromHex } from "../hex-id.ts";
import { nameOf } from "../members.ts";
import type { EtcdMember, PodSeen } from "../observation.ts";
import { claimSeen } from "../observe/claim-seen.ts";
import { ownAnnotations } from "../observe/own-annotations.ts";
import { isOwnedBy } from "../observe/ownership.ts";
import { stageOf } from "../observe/pod-seen.ts";
import { keepsQuorumWithout } from "../quorum.ts";
import { DONE, postponed, settled, unlessChanged } from "./postponed.ts";
import { whenSteadyMs } from "./when-steady.ts";
import type { Work } from "./work.ts";

type RemoveMember = Extract<Step, { kind: "remove-member" }>;

/**
 * Removes members for good, one after the other, each if the reason for it still holds and a majority of the rest answers this moment. The
 * pods of those that were well go with them.
 */
export async function removeMember(work: Work, { member, others = [], because }: RemoveMember): Promise<ActionOutcome> {
  const outcome = await remove(work, member, because);
  if (outcome.kind === "postponed" || because !== "surplus") return outcome;
  const [spared] = await settled([removeOthers(work, others, [member.id]), deletePodOf(work, member)]);
  return spared > 0 ? { kind: "done", spared } : DONE;
}

/**
 * Tells how many of them stay: the first of whom there is a doubt, and all after it. What went wrong with it is found again by the next pass;
 * this one has to tell of those that have gone.
 */
async function removeOthers(
  work: Work,
  [next, ...others]: readonly MemberId[],
  gone: readonly string[],
): Promise<number> {
  if (!next) return 0;
  const outcome = await remove(work, next, "surplus", gone).catch(() => undefined);
  if (outcome?.kind !== "done") return 1 + others.length;
  const [spared] = await settled([removeOthers(work, others, [...gone, next.id]), deletePodOf(work, next)]);
  return spared;
}

async function remove(
  work: Work,
  { name, id }: MemberId,
  because: Removal,
  gone: readonly string[] = [],
): Promise<ActionOutcome> {
  const [change, list] = await settled([work.live.clusterHasChanged(), work.etcd.membersAndVoters(name, gone)]);
  if (change) return change;
  if (list.kind === "postponed") return list;
  const entry = list.members.find((each) => each.id === id);
  if (!entry) return DONE;
  if (nameOf(entry) !== name) return postponed(`member ${id} is ${nameOf(entry)}, not ${name}`);
  const reprieve = await whySpared(work, entry, because, list.members);
  if (reprieve) return postponed(`${name} stays: ${reprieve}`);
  if (!keepsQuorumWithout(list.voters, name)) {
    return postponed(`${name} stays: without it too few voters answer to be a majority`, 500);
  }
  try {
    await work.etcd.change(`removing ${name}`, list.via, (via, options) => via.removeMember(fromHex(id), options));
    return DONE;
  } catch (error) {
    return outcomeOf(error, work);
  }
}

/**
 * The pod of a member that a majority has just agreed to do without, so that clients are led elsewhere at once. Its etcd ends by itself now,
 * and the kubelet writes that to the pod: nothing that changes what is in it. Whatever stands in the way is left to the next pass, which
 * finds a pod that is nobody's.
 */
async function deletePodOf(work: Work, member: MemberId): Promise<void> {
  const pod = await podHolding(work, member);
  if (pod) await unlessChanged(`Pod ${member.name}`, () => work.writer.deleteChanged(resources.pods, pod));
}

/** The very pod that was seen, if it still says that it holds this member, and stays. */
async function podHolding({ seen, live }: Work, { name, id }: MemberId): Promise<Stored<Pod> | undefined> {
  const { metadata, status } = seen.cluster;
  const known = seen.pods.find((pod) => pod.name === name);
  const pod = known && (await live.find(resources.pods, name));
  if (!pod || pod.metadata.uid !== known.uid || pod.metadata.deletionTimestamp) return undefined;
  const { memberId, clusterId } = ownAnnotations(pod);
  const isIts = memberId === id && clusterId === status?.clusterID && isOwnedBy(pod, metadata.uid);
  return isIts ? pod : undefined;
}

/** Why the reason for the removal does not hold any more. */
async function whySpared(
  work: Work,
  entry: EtcdMember,
  because: Removal,
  members: readonly EtcdMember[],
): Promise<string | undefined> {
  const { seen, etcd } = work;
  switch (because) {
    case "surplus":
      // The spec is the one that was seen, but members may be fewer by now.
      return members.length > seen.cluster.spec.size ? undefined : "there is none too many any more";
    case "never-started":
      return entry.name === "" ? whyNotAsSeen(work, entry) : "it has started";
    case "dead":
      return (await etcd.isHealthy(entry)) ? "it answers again" : whyNotAsSeen(work, entry);
  }
}

/**
 * Who is given up for what was seen of it has to be as it was seen. A cache may be far behind: it still shows as pending who has long
 * been running, at an address that nobody has asked, or lacks the volume that it would come back to.
 */
async function whyNotAsSeen({ seen, live }: Work, entry: EtcdMember): Promise<string | undefined> {
  const name = nameOf(entry);
  const [pod, claim] = await Promise.all([
    live.find(resources.pods, name),
    live.find(resources.persistentVolumeClaims, name),
  ]);
  const seenPod = seen.pods.find((each) => each.name === name);
  if (seenPod && !isSame(seenPod, pod) && !isGoingAsSeen(seenPod, pod)) {
    return `Pod ${name} has changed since it was seen`;
  }
  const { metadata } = seen.cluster;
  if (!seenPod && pod && isOwnedBy(pod, metadata.uid) && stageOf(pod) !== "ended") {
    // It may have lost them, and then nobody has asked the member.
    if (!isLabelled(pod, metadata.name)) {
      return `Pod ${name} is there, without the labels of its cluster: put them back, or delete it`;
    }
    return `Pod ${name} is there, and was not seen`;
  }
  const isUnseen =
    claim && isLabelled(claim, metadata.name) && !seen.claims.some(({ uid }) => uid === claim.metadata.uid);
  return isUnseen && claimSeen(claim, metadata.uid)?.memberId === entry.id
    ? `its claim is there, and was not seen`
    : undefined;
}

function isSame({ uid, resourceVersion }: ObjectId, live: Stored | undefined): boolean {
  return live?.metadata.uid === uid && live.metadata.resourceVersion === resourceVersion;
}

/** It was told to go, with all that it holds, and nothing stops that: what the kubelet writes to it is how far it has got. */
function isGoingAsSeen({ uid, isTerminating, usesClaim }: PodSeen, live: Stored | undefined): boolean {
  return isTerminating && !usesClaim && (!live || live.metadata.uid === uid);
}

function isLabelled({ metadata }: Stored, clusterName: string): boolean {
  return Object.entries(clusterLabels(clusterName)).every(([key, value]) => metadata.labels?.[key] === value);
}

function outcomeOf(error: unknown, { seen }: Work): ActionOutcome {
  if (!(error instanceof EtcdError)) throw error;
  switch (error.code) {
    case "not-found":
      return DONE;
    case "unhealthy-cluster":
      return postponed(error.message, whenSteadyMs(seen, 500));
    default:
      throw error;
  }
}
