import type { PersistentVolumeClaim } from "kubernetes-types/core/v1.d.ts";
import type { Stored } from "../../kubernetes/kube-object.ts";
import type { ClaimSeen } from "../observation.ts";
import { ownAnnotations } from "./own-annotations.ts";
import { isOwnedBy } from "./ownership.ts";

/**
 * A claim as the rules see it; undefined when it was made for another cluster, such as an earlier one of the same name. We write on
 * every claim whose it is; those of the old operator have an owner to tell.
 */
export function claimSeen(claim: Stored<PersistentVolumeClaim>, clusterUid: string): ClaimSeen | undefined {
  const { metadata } = claim;
  const {
    clusterUid: madeFor,
    incarnation,
    memberId,
    clusterId,
    claimHash,
    returnsWith,
    logReached,
  } = ownAnnotations(claim);
  const isOwned = isOwnedBy(claim, clusterUid);
  if (madeFor === undefined ? !isOwned : madeFor !== clusterUid) return undefined;
  return {
    name: metadata.name,
    uid: metadata.uid,
    resourceVersion: metadata.resourceVersion,
    isTerminating: Boolean(metadata.deletionTimestamp),
    isOwned,
    incarnation,
    memberId,
    clusterId,
    claimHash,
    returnsWith,
    storage: claim.spec?.resources?.requests?.storage,
    ...(logReached && { logReached }),
    ...(claim.status?.phase === "Lost" && { hasLostVolume: true }),
  };
}
