import { majorityOf } from "../../../../src/cluster/quorum.ts";
import { resources } from "../../../../src/kubernetes/resources.ts";
import { NAMESPACE } from "../../world/world.ts";
import type { Accident } from "../accident.ts";
import type { Scene } from "../scene.ts";

/** The disks of so many members are lost that the others are no majority any more; those that are there first, and never to be had again. */
export const majorityLost: Accident = {
  id: "majority-lost",
  happen: async (scene) => {
    const pods = scene.stage.memberPods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    const lost = pods.slice(0, majorityOf(pods.length));
    for (const pod of lost) await scene.loseDisk(pod);
    if (lost.length > 0) scene.met.push("majority-lost");
  },
};

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
