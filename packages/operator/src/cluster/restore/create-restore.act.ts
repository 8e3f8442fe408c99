import { resources } from "@etcd-operator/kubernetes-client";
import { ownResources } from "../../objects/own-resources.ts";
import { type Postponed, postponed, settled } from "../act/postponed.ts";
import type { Work } from "../act/work.ts";
import type { ActionOutcome, CreateRestore } from "../model/action.ts";
import { createObject } from "../objects/write-objects.act.ts";
import { isOwnedBy } from "../observe/ownership.ts";
import { stageOf } from "../observe/pod-seen.ts";

/** Requests a restore, if the data of those members is lost at this moment too, and no majority serves. */
export async function createRestore(work: Work, { restore, lost }: CreateRestore): Promise<ActionOutcome> {
  const change = await work.live.clusterHasChanged();
  if (change) return change;
  const found = await settled(lost.map((name) => whyNotLost(work, name)));
  const obstacle = found.find(Boolean) ?? (await whySomebodyServes(work));
  return obstacle ?? createObject(work, ownResources.etcdRestores, restore);
}

/** By name: a pod or a claim that lost its labels is not seen otherwise, and has its data. */
async function whyNotLost({ live, seen }: Work, name: string): Promise<Postponed | undefined> {
  const [pod, claim] = await settled([
    live.find(resources.pods, name),
    live.find(resources.persistentVolumeClaims, name),
  ]);
  const isMounted = pod && isOwnedBy(pod, seen.cluster.metadata.uid) && stageOf(pod) !== "ended" && pod.spec?.nodeName;
  if (isMounted) return postponed(`Pod ${name} exists and may have its data`, 1_000);
  return claim && claim.status?.phase !== "Lost" ? postponed(`PVC ${name} exists with its data`, 1_000) : undefined;
}

async function whySomebodyServes({ etcd, seen }: Work): Promise<Postponed | undefined> {
  const members = seen.membership.kind === "unknown" ? [] : seen.membership.members;
  // A learner's own copy of the list may be old, so all are asked; that a learner names a leader is no sign of a
  // majority.
  const serving = await settled(members.map((member) => etcd.servesMajority(member)));
  return serving.includes(true) ? postponed("a majority responds again", 1_000) : undefined;
}
