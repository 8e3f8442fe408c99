import type { Stored } from "@etcd-operator/kubernetes-client";
import { resources } from "@etcd-operator/kubernetes-client";
import type { Work } from "../act/work.ts";
import type { ObjectId, Removal } from "../model/action.ts";
import { membersSeen, nameOf } from "../model/members.ts";
import type { EtcdMember, PodSeen } from "../model/observation.ts";
import { claimSeen } from "../observe/claim-seen.ts";
import { isLabelled, isOwnedBy } from "../observe/ownership.ts";
import { stageOf } from "../observe/pod-seen.ts";
import { whyPodIsUnseen } from "../repair/lost-labels.act.ts";
import { logIndexOf } from "./stuck-learner.rule.ts";

/** Why the reason for the removal of a member does not hold any more. */
export async function whyNotRemoved(
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
    case "stuck-learner":
      return (await whyNotStuck(work, entry)) ?? whyNotAsSeen(work, entry);
  }
}

/** It answers, so it goes only while it has no vote, and stands in the log where it stood, behind what a voter had by then. */
async function whyNotStuck({ seen, etcd }: Work, entry: EtcdMember): Promise<string | undefined> {
  if (!entry.isLearner) return "it has a vote";
  const index = await etcd.logIndexOf(entry);
  if (index === undefined) return "it does not answer, so its time as a member that is away begins";
  const stoodAt = logIndexOf(seen.pods.find((pod) => pod.name === nameOf(entry)));
  if (index !== stoodAt) return `it makes progress: its log has got from index ${stoodAt} to ${index}`;
  const voters = membersSeen(seen).filter(({ etcd: listed }) => listed?.isLearner === false);
  return voters.some(({ pod }) => (logIndexOf(pod) ?? 0) > index) ? undefined : "it has all that the voters have";
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
    return whyPodIsUnseen(pod, seen.cluster) ?? `Pod ${name} is there, and was not seen`;
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
