import type { Stored } from "@etcd-operator/kubernetes-client";
import type { PersistentVolumeClaim } from "kubernetes-types/core/v1.d.ts";
import { memberName } from "../../api/cluster/cluster-names.ts";
import type { EtcdCluster } from "../../api/etcd-cluster.ts";
import type { ClaimSeen } from "../model/observation.ts";
import { ownAnnotations } from "./own-annotations.ts";
import { isOwnedBy, mayBeTakenOver } from "./ownership.ts";

/**
 * A claim as the rules see it; undefined when it was made for another cluster, such as an earlier one of the same name.
 * We write the cluster's UID on every claim; those of coreos/etcd-operator have an owner reference for that.
 */
export function claimSeen(claim: Stored<PersistentVolumeClaim>, clusterUid: string): ClaimSeen | undefined {
  const { clusterUid: madeFor } = ownAnnotations(claim);
  const isOwned = isOwnedBy(claim, clusterUid);
  if (madeFor === undefined ? !isOwned : madeFor !== clusterUid) return undefined;
  return asSeen(claim, isOwned);
}

/**
 * A claim with a member's data that was made for a deleted EtcdCluster of this name, and that stays; undefined for any
 * other. One that has an owner is deleted with it.
 */
export function retainedClaim(
  claim: Stored<PersistentVolumeClaim>,
  { metadata: { name, uid } }: Stored<EtcdCluster>,
): ClaimSeen | undefined {
  const { clusterUid: madeFor, memberId } = ownAnnotations(claim);
  if (madeFor === undefined || madeFor === uid || memberId === undefined) return undefined;
  const isOfThisName = claim.metadata.name.startsWith(memberName(name, ""));
  return isOfThisName && mayBeTakenOver(claim) ? { ...asSeen(claim, false), madeFor } : undefined;
}

export function retainedClaims(
  claims: readonly Stored<PersistentVolumeClaim>[],
  cluster: Stored<EtcdCluster>,
): readonly ClaimSeen[] {
  return claims.flatMap((claim) => retainedClaim(claim, cluster) ?? []);
}

function asSeen(claim: Stored<PersistentVolumeClaim>, isOwned: boolean): ClaimSeen {
  const { metadata } = claim;
  const { incarnation, memberId, clusterId, claimHash, returnsWith, logReached, record, isLeaving } =
    ownAnnotations(claim);
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
    ...(record && { record }),
    ...(isLeaving && { isLeaving }),
    ...(claim.status?.phase === "Pending" && { isUnbound: true }),
    ...(claim.status?.phase === "Lost" && { hasLostVolume: true }),
  };
}
