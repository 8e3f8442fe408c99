import { resources } from "@etcd-operator/kubernetes-client";
import { majorityOf } from "@etcd-operator/operator/cluster/model/quorum.ts";
import { lastIndex } from "../../model/etcd/disk.ts";
import { NAMESPACE } from "../../world/world.ts";
import type { Accident } from "../accident.ts";
import type { Scene } from "../scene.ts";

/**
 * The disks of so many members are lost that the others are no majority any more; the one that is left has everything.
 */
export const majorityLost: Accident = {
  id: "majority-lost",
  happen: async (scene) => {
    const pods = scene.stage.memberPods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    const lost = [...pods]
      .sort((one, other) => reached(scene, one.metadata.name) - reached(scene, other.metadata.name))
      .slice(0, majorityOf(pods.length));
    for (const pod of lost) await scene.loseDisk(pod);
    if (lost.length > 0) scene.met.push("majority-lost");
  },
};

/**
 * How far its log goes: the member with the longest has all that was acknowledged, also where others have just come
 * back.
 */
function reached({ machine }: Scene, pod: string): number {
  const data = machine.kubelet.diskOf(pod)?.data;
  return data ? lastIndex(data) : 0;
}

/** `kubectl delete pvc`: a claim in use stays until its pod goes, and takes the disk with it then. */
export const claimDeleted: Accident = {
  id: "claim-deleted",
  happen: async (scene) => {
    const claim = youngestClaim(scene);
    if (!claim) return;
    const { name, uid } = claim.metadata;
    scene.takenByHand.add(uid);
    await scene.stage.user.delete(resources.persistentVolumeClaims, { namespace: NAMESPACE, name });
    scene.met.push("claim-deleted");
  },
};

function youngestClaim({ objects }: Scene) {
  const claims = objects.of(resources.persistentVolumeClaims);
  return claims.findLast(({ metadata }) => metadata.deletionTimestamp === undefined);
}
