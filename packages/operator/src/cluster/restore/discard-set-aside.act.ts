import { resources } from "@etcd-operator/kubernetes-client";
import type { EtcdClusterStatus } from "../../api/etcd-cluster.ts";
import { allOf, DONE, type Postponed, postponed, settled, unlessChanged } from "../act/postponed.ts";
import type { Work } from "../act/work.ts";
import type { ActionOutcome, DiscardSetAside, ObjectId } from "../model/action.ts";
import { claimSeen } from "../observe/claim-seen.ts";
import { ownAnnotations } from "../observe/own-annotations.ts";
import { deletePod } from "../repair/delete-pods.act.ts";
import { hasAllSaved, isKept, isSetAside } from "./restoring.rule.ts";

const { persistentVolumeClaims, pods: podResource } = resources;

/** Deletes what was set aside for a restore, once it is not needed any more: it is the only way back. */
export async function discardSetAside(work: Work, action: DiscardSetAside): Promise<ActionOutcome> {
  const change = await work.live.clusterHasChanged();
  if (change) return change;
  const { pods, claims, noRoomFor } = action;
  const obstacle = noRoomFor === undefined ? await whyNotWhole(work) : await whyThereIsRoom(work, noRoomFor);
  if (obstacle) return obstacle;
  return allOf([
    ...pods.map((pod) => discardPod(work, pod, noRoomFor !== undefined)),
    ...claims.map((claim) => discardClaim(work, claim)),
  ]);
}

/** The restored cluster, as its majority knows it this moment. */
async function whyNotWhole({ etcd, seen }: Work): Promise<Postponed | undefined> {
  const list = await etcd.membersAndVoters();
  if (list.kind === "postponed") return list;
  const { voters } = list;
  const absent = voters.find(({ isUp }) => !isUp);
  if (absent) return postponed(`${absent.name} of the restored cluster does not respond, or is about to stop`, 1_000);
  const { spec, status } = seen.cluster;
  if (voters.length < spec.size) return postponed("the restored cluster has too few members", 1_000);
  const least = BigInt(status?.restore?.revision ?? 0);
  const answers = await settled(voters.map(({ name }) => etcd.ask(name, (client, options) => client.status(options))));
  const behind = voters.find((_, index) => (answers[index]?.revision ?? -1n) < least);
  return behind && postponed(`${behind.name} of the restored cluster has less data than the snapshot`, 1_000);
}

async function whyThereIsRoom({ live }: Work, name: string): Promise<Postponed | undefined> {
  const pod = await live.find(podResource, name);
  return pod && !pod.spec?.nodeName ? undefined : postponed(`${name} does not wait for a node any more`);
}

/** While the restored cluster is not complete, only what is in a store may be deleted. */
async function discardPod(work: Work, id: ObjectId, mustBeSaved: boolean): Promise<ActionOutcome> {
  const pod = await work.live.find(podResource, id.name);
  if (!pod) return DONE;
  const { status = {} } = work.seen.cluster;
  const made = ownAnnotations(pod);
  if (!isSetAside(made, status)) return postponed(`Pod ${id.name} is not of the previous cluster`, 1_000);
  if (mustBeSaved && !isSaved(made, status))
    return postponed(`not deleting Pod ${id.name}: its data has not been backed up`, 1_000);
  return deletePod(work, id);
}

async function discardClaim(
  { live, seen, writer }: Work,
  { name, uid, resourceVersion }: ObjectId,
): Promise<ActionOutcome> {
  const claim = await live.find(persistentVolumeClaims, name);
  if (!claim) return DONE;
  const { metadata, status = {} } = seen.cluster;
  const made = claimSeen(claim, metadata.uid);
  const isSame = claim.metadata.uid === uid && claim.metadata.resourceVersion === resourceVersion;
  if (!isSame || !made || !isSetAside(made, status)) return postponed(`PVC ${name} has changed since it was read`);
  if (!isSaved(made, status)) return postponed(`not deleting PVC ${name}: its data has not been backed up`, 1_000);
  return unlessChanged(`PVC ${name}`, () => writer.delete(persistentVolumeClaims, claim));
}

function isSaved(made: Parameters<typeof isKept>[0], status: EtcdClusterStatus): boolean {
  return status.restore !== undefined && hasAllSaved(status.restore) && !isKept(made, status);
}
