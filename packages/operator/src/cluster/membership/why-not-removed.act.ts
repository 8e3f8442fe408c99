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
      return members.length > seen.cluster.spec.size ? undefined : "there is no surplus member any more";
    case "never-started":
      return entry.name === "" ? whyNotAsSeen(work, entry) : "it has started";
    case "dead":
      return (await etcd.isHealthy(entry)) ? "it responds again" : whyNotAsSeen(work, entry);
    case "stuck-learner":
      return (await whyNotStuck(work, entry)) ?? whyNotAsSeen(work, entry);
  }
}

/**
 * It answers, so it goes only while it has no vote, and stands in the log where it stood, behind what a voter had by
 * then.
 */
async function whyNotStuck({ seen, etcd }: Work, entry: EtcdMember): Promise<string | undefined> {
  if (!entry.isLearner) return "it is a voter";
  const index = await etcd.logIndexOf(entry);
  if (index === undefined) return "it does not respond, so its time as a missing member begins";
  const stoodAt = logIndexOf(seen.pods.find((pod) => pod.name === nameOf(entry)));
  if (index !== stoodAt) return `it makes progress: its log went from index ${stoodAt} to ${index}`;
  const voters = membersSeen(seen).filter(({ etcd: listed }) => listed?.isLearner === false);
  return voters.some(({ pod }) => (logIndexOf(pod) ?? 0) > index) ? undefined : "it is up to date with the voters";
}

/** A member that is replaced because of its observed state must still be in that state. A cache may be far behind: it
 * may show a running pod as pending, at an address that was never queried, or lack the volume to which the member would
 * come back.
 */
async function whyNotAsSeen({ seen, live }: Work, entry: EtcdMember): Promise<string | undefined> {
  const name = nameOf(entry);
  const [pod, claim] = await Promise.all([
    live.find(resources.pods, name),
    live.find(resources.persistentVolumeClaims, name),
  ]);
  const seenPod = seen.pods.find((each) => each.name === name);
  if (seenPod && !isSame(seenPod, pod) && !isGoingAsSeen(seenPod, pod)) {
    return `Pod ${name} has changed since it was read`;
  }
  const { metadata } = seen.cluster;
  if (!seenPod && pod && isOwnedBy(pod, metadata.uid) && stageOf(pod) !== "ended") {
    // It may have lost them, and then the member was never queried.
    return whyPodIsUnseen(pod, seen.cluster) ?? `Pod ${name} exists but is not in the cache yet`;
  }
  const isUnseen =
    claim && isLabelled(claim, metadata.name) && !seen.claims.some(({ uid }) => uid === claim.metadata.uid);
  return isUnseen && claimSeen(claim, metadata.uid)?.memberId === entry.id
    ? `its PVC exists but is not in the cache yet`
    : undefined;
}

function isSame({ uid, resourceVersion }: ObjectId, live: Stored | undefined): boolean {
  return live?.metadata.uid === uid && live.metadata.resourceVersion === resourceVersion;
}

/** It was deleted, with all that it holds, and nothing stops that: updates of the kubelet only show its progress. */
function isGoingAsSeen({ uid, isTerminating, usesClaim }: PodSeen, live: Stored | undefined): boolean {
  return isTerminating && !usesClaim && (!live || live.metadata.uid === uid);
}
