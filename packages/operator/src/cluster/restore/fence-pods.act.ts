import type { Stored } from "@etcd-operator/kubernetes-client";
import { resources } from "@etcd-operator/kubernetes-client";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { allOf, DONE, postponed, undone, unlessChanged } from "../act/postponed.ts";
import type { Work } from "../act/work.ts";
import type { ActionOutcome, FencePods, ObjectId } from "../model/action.ts";
import { ANNOTATIONS } from "../objects/annotations.ts";
import { ETCD_CONTAINER } from "../objects/pod/pod.ts";
import { claimSeen } from "../observe/claim-seen.ts";
import { containerToReplace, imageOf } from "../observe/etcd-container.ts";
import { ownAnnotations } from "../observe/own-annotations.ts";
import { isOwnedBy } from "../observe/ownership.ts";
import { fenceNote, hasImageWithoutEtcd } from "../observe/set-aside-seen.ts";
import { deletePod } from "../repair/delete-pods.act.ts";
import { isSetAside } from "./restoring.rule.ts";

/** Stops members of an earlier incarnation, each after a live check: their data must not be lost by it. */
export async function fencePods(work: Work, { toDelete, toStop }: FencePods): Promise<ActionOutcome> {
  const change = await work.live.clusterHasChanged();
  return change ?? allOf([...toDelete.map((pod) => takeAway(work, pod)), ...toStop.map((pod) => stop(work, pod))]);
}

/** A deleted claim is removed with the pod that uses it: then the pod holds the only copy. */
async function takeAway(work: Work, pod: ObjectId): Promise<ActionOutcome> {
  const { setAside, cluster } = work.seen;
  const isOnClaim = setAside.pods.find(({ uid }) => uid === pod.uid)?.usesClaim === true;
  if (isOnClaim) {
    const found = await work.live.find(resources.persistentVolumeClaims, pod.name);
    const claim = found && claimSeen(found, cluster.metadata.uid);
    if (!claim || claim.isTerminating) return postponed(`not stopping ${pod.name}: its PVC would be deleted with it`);
  }
  return deletePod(work, pod);
}

/** Its data is in the pod, which stays: without a program to run, and with a note of what it has to get back. */
async function stop({ seen, live, writer, guardImage }: Work, { name, uid }: ObjectId): Promise<ActionOutcome> {
  const pod = await live.find(resources.pods, name);
  if (!pod) return DONE;
  const { cluster } = seen;
  const made = ownAnnotations(pod);
  const isFormer = pod.metadata.uid === uid && isOwnedBy(pod, cluster.metadata.uid) && isSetAside(made, cluster.status);
  if (!isFormer) return postponed(`Pod ${name} was replaced by another one`);
  if (made.fenced && hasImageWithoutEtcd(pod)) return DONE;
  const annotations = {
    [ANNOTATIONS.fenced]: fenceNote(pod, guardImage),
    [ANNOTATIONS.replacedContainer]: containerToReplace(pod),
  };
  const containers = [{ name: ETCD_CONTAINER, image: guardImage }];
  // In the version that was read: the annotation says which container there is.
  let told: Stored<Pod> | undefined;
  const outcome = await unlessChanged(`Pod ${name}`, async () => {
    told = await writer.patchStrategic(resources.pods, pod.metadata, {
      metadata: { annotations },
      spec: { containers },
    });
  });
  return told && !hasImageWithoutEtcd(told) ? undone(whyNotStopped(told, guardImage)) : outcome;
}

function whyNotStopped(pod: Stored<Pod>, guardImage: string): string {
  const why = `admission sets its image to '${imageOf(pod)}' instead of '${guardImage}', so etcd may keep running`;
  return `exclude Pod ${pod.metadata.name} from webhooks that change images, or delete the pod if its data is not needed: ${why}`;
}
