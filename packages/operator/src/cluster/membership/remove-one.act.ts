import { EtcdError } from "@etcd-operator/etcd-client";
import { resources } from "@etcd-operator/kubernetes-client";
import { type MembersAndVoters, toEtcdMember } from "../act/live-etcd.ts";
import { type Postponed, postponed, settled, unlessChanged } from "../act/postponed.ts";
import type { Work } from "../act/work.ts";
import type { MemberId, Removal } from "../model/action.ts";
import { fromHex } from "../model/hex-id.ts";
import { nameOf } from "../model/members.ts";
import type { EtcdMember } from "../model/observation.ts";
import { keepsQuorumWithout } from "../model/quorum.ts";
import { ANNOTATIONS } from "../objects/annotations.ts";
import { untilConnectedMs } from "./until-connected.ts";
import { whyNotRemoved } from "./why-not-removed.act.ts";

/** Checks whether a member may be removed, or why none is worth it. */
export type Look = MembersAndVoters | Postponed;

export type Removed = Postponed | { readonly kind: "removed"; readonly left?: readonly EtcdMember[] };

const REMOVED: Removed = { kind: "removed" };

/**
 * At the cluster, its members and which of them answer, live; `gone` are the ids of those that have been removed since
 * they were seen.
 */
export async function lookFor(work: Work, { name }: MemberId, gone: readonly string[] = []): Promise<Look> {
  const [change, list] = await settled([work.live.clusterHasChanged(), work.etcd.membersAndVoters(name, gone)]);
  return change ?? list;
}

/** Removes a member, based on that check. Returns the remaining members, unless it had been removed before. */
export async function removeOne(work: Work, { name, id }: MemberId, because: Removal, look: Look): Promise<Removed> {
  if (look.kind === "postponed") return look;
  const entry = look.members.find((each) => each.id === id);
  if (!entry) return REMOVED;
  if (nameOf(entry) !== name) return postponed(`member ${id} is ${nameOf(entry)}, not ${name}`);
  const reprieve = await whyNotRemoved(work, entry, because, look.members);
  if (reprieve) return postponed(`not removing ${name}: ${reprieve}`);
  if (!keepsQuorumWithout(look.voters, name)) {
    return postponed(`not removing ${name}: too few other voters respond for a majority`, 500);
  }
  const unmarked = await markLeaving(work, entry, name);
  if (unmarked) return unmarked;
  try {
    const ask = work.etcd.change(`removing ${name}`, look.via, (via, options) =>
      via.removeMember(fromHex(id), options),
    );
    return { kind: "removed", left: (await ask).map(toEtcdMember) };
  } catch (error) {
    return outcomeOf(error, work);
  }
}

/** Before it is removed: if the EtcdCluster is deleted right after that, its volume must not count for the cluster. */
async function markLeaving({ seen, writer }: Work, { id, isLearner }: EtcdMember, name: string) {
  const claim = seen.claims.find((each) => each.name === name && each.memberId === id);
  if (!claim || claim.isLeaving || isLearner) return undefined;
  const marked = await unlessChanged(`PVC ${name}`, () =>
    writer.annotate(resources.persistentVolumeClaims, claim, { [ANNOTATIONS.leaving]: "true" }),
  );
  // Where the claim is gone, there is nothing to mark.
  return marked.kind === "postponed" && !marked.isGone ? marked : undefined;
}

function outcomeOf(error: unknown, { seen }: Work): Removed {
  if (!(error instanceof EtcdError)) throw error;
  switch (error.code) {
    case "not-found":
      return REMOVED;
    case "unhealthy-cluster":
      return postponed(error.message, untilConnectedMs(seen, 500));
    default:
      throw error;
  }
}
