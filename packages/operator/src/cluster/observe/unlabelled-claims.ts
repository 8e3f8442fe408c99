import type { Stored } from "@etcd-operator/kubernetes-client";
import type { PersistentVolumeClaim, Pod } from "kubernetes-types/core/v1.d.ts";
import type { EtcdCluster } from "../../api/etcd-cluster.ts";
import type { Source } from "./kubernetes-source.ts";
import { ownAnnotations } from "./own-annotations.ts";
import { isLabelled } from "./ownership.ts";
import { stageOf, usesClaim } from "./pod-seen.ts";

/**
 * Claims that lost the labels of their cluster, and are certainly its own: a pod of it runs on them, they were made for
 * this EtcdCluster, and neither names another member. Kubernetes keeps a claim for as long as a pod uses
 * it, so the one of that name is the one in use.
 */
export async function unlabelledClaims(
  { metadata }: Stored<EtcdCluster>,
  own: readonly Stored<Pod>[],
  labelled: readonly Stored<PersistentVolumeClaim>[],
  source: Pick<Source, "claim">,
): Promise<readonly Stored<PersistentVolumeClaim>[]> {
  const known = new Set(labelled.map(({ metadata }) => metadata.name));
  const lacking = own.filter((pod) => usesClaim(pod) && stageOf(pod) === "running" && !known.has(pod.metadata.name));
  const found = await Promise.all(
    lacking.map(async (pod) => {
      const claim = await source.claim(pod.metadata.name);
      return claim && !isLabelled(claim, metadata.name) && isCertainlyOf(pod, claim, metadata.uid) ? [claim] : [];
    }),
  );
  return found.flat();
}

function isCertainlyOf(pod: Stored<Pod>, claim: Stored<PersistentVolumeClaim>, ownUid: string): boolean {
  const { memberId, clusterId, clusterUid } = ownAnnotations(claim);
  const onPod = ownAnnotations(pod);
  // Until a member has joined, its claim does not say whose data it holds.
  const isOfOther = (noted: string | undefined, own: string | undefined) => noted !== undefined && noted !== own;
  return clusterUid === ownUid && !isOfOther(memberId, onPod.memberId) && !isOfOther(clusterId, onPod.clusterId);
}
