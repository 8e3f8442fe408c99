import { EtcdError } from "@etcd-operator/etcd-client";
import { resources } from "@etcd-operator/kubernetes-client";
import { DONE, postponed, settled } from "../act/postponed.ts";
import type { Work } from "../act/work.ts";
import type { ActionOutcome, MemberId } from "../model/action.ts";
import { fromHex } from "../model/hex-id.ts";
import { hasQuorum } from "../model/quorum.ts";
import { ownAnnotations } from "../observe/own-annotations.ts";
import { isOwnedBy } from "../observe/ownership.ts";
import { openGate } from "./set-gates.act.ts";

/**
 * Makes a voter of a learner, and lets clients get to it. A voter must never start without its data, so its pod has to
 * say which data that is.
 */
export async function promoteMember(work: Work, { name, id }: MemberId): Promise<ActionOutcome> {
  const [change, pod, list] = await settled([
    work.live.clusterHasChanged(),
    work.live.find(resources.pods, name),
    work.etcd.membersAndVoters(),
  ]);
  if (change) return change;
  if (!pod || !isOwnedBy(pod, work.seen.cluster.metadata.uid)) return postponed(`Pod ${name} does not exist any more`);
  // A voter that is deleted at once would be missed by the others.
  if (pod.metadata.deletionTimestamp) return postponed(`Pod ${name} is being deleted`);
  if (ownAnnotations(pod).memberId !== id) return postponed(`Pod ${name} is not annotated with the member ID ${id}`);
  if (list.kind === "postponed") return list;
  const entry = list.members.find((member) => member.id === id);
  if (!entry) return postponed(`${name} is not a member any more`);
  if (!entry.isLearner) return DONE;
  if (!hasQuorum([...list.voters, { name, isUp: true }])) {
    return postponed(`not promoting ${name}: too few voters respond for a majority that includes it`, 1_000);
  }
  try {
    await work.etcd.change(`promoting ${name}`, list.via, (via, options) => via.promoteMember(fromHex(id), options));
  } catch (error) {
    return outcomeOf(error);
  }
  // It was in sync a moment ago, or etcd would not have promoted it.
  await openGate(work, pod);
  return DONE;
}

function outcomeOf(error: unknown): ActionOutcome {
  if (!(error instanceof EtcdError)) throw error;
  switch (error.code) {
    case "member-not-learner":
      return DONE;
    case "learner-not-ready":
      return postponed(error.message, 100);
    case "unhealthy-cluster":
      return postponed(error.message, 200);
    default:
      throw error;
  }
}
