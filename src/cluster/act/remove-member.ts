import { EtcdError } from "../../etcd/etcd-error.ts";
import { resources } from "../../kubernetes/resources.ts";
import type { ActionOutcome, Removal, Step } from "../action.ts";
import { fromHex } from "../hex-id.ts";
import { nameOf } from "../members.ts";
import type { EtcdMember } from "../observation.ts";
import { isOwnedBy } from "../observe/ownership.ts";
import { stageOf } from "../observe/pod-seen.ts";
import { keepsQuorumWithout } from "../quorum.ts";
import { DONE, postponed, settled } from "./postponed.ts";
import type { Work } from "./work.ts";

type RemoveMember = Extract<Step, { kind: "remove-member" }>;

/** Removes a member for good, if the reason for it still holds and a majority of the rest answers this moment. */
export async function removeMember(work: Work, { member, because }: RemoveMember): Promise<ActionOutcome> {
  const { name, id } = member;
  const [change, list] = await settled([work.live.clusterHasChanged(), work.etcd.members(name)]);
  if (change) return change;
  if (list.kind === "postponed") return list;
  const entry = list.members.find((each) => each.id === id);
  if (!entry) return DONE;
  if (nameOf(entry) !== name) return postponed(`member ${id} is ${nameOf(entry)}, not ${name}`);
  const [reprieve, voters] = await Promise.all([
    whySpared(work, entry, because, list.members),
    work.etcd.voters(list.members),
  ]);
  if (reprieve) return postponed(`${name} stays: ${reprieve}`);
  if (!keepsQuorumWithout(voters, name)) {
    return postponed(`${name} stays: without it too few voters answer to be a majority`, 500);
  }
  try {
    await work.etcd.change(`removing ${name}`, list.via, (via, options) => via.removeMember(fromHex(id), options));
    return DONE;
  } catch (error) {
    return outcomeOf(error);
  }
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
      return entry.name === "" ? undefined : "it has started";
    case "dead":
      return (await etcd.isHealthy(entry)) ? "it answers again" : whyNotGone(work, entry);
  }
}

/** A member that seems to have no pod may have one that lost its labels, and then nobody has asked it. */
async function whyNotGone({ seen, live }: Work, entry: EtcdMember): Promise<string | undefined> {
  const name = nameOf(entry);
  if (seen.pods.some((pod) => pod.name === name)) return undefined;
  const pod = await live.find(resources.pods, name);
  const isThere = pod && isOwnedBy(pod, seen.cluster.metadata.uid) && stageOf(pod) !== "ended";
  return isThere ? `Pod ${name} is there, without the labels of its cluster: put them back, or delete it` : undefined;
}

function outcomeOf(error: unknown): ActionOutcome {
  if (!(error instanceof EtcdError)) throw error;
  switch (error.code) {
    case "not-found":
      return DONE;
    case "unhealthy-cluster":
      return postponed(error.message, 500);
    default:
      throw error;
  }
}
