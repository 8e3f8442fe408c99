import { resources } from "@etcd-operator/kubernetes-client";
import { allOf, DONE, postponed, unlessChanged } from "../act/postponed.ts";
import type { Work } from "../act/work.ts";
import type { ActionOutcome, ObjectId, Step } from "../model/action.ts";
import { ANNOTATIONS } from "../objects/annotations.ts";
import { ownerReference } from "../objects/owner.ts";
import { retainedClaim } from "../observe/claim-seen.ts";
import { ownAnnotations } from "../observe/own-annotations.ts";
import { isOrphanOf } from "../observe/pods-by-owner.ts";

type TakeOver = Extract<Step, { kind: "take-over" }>;

/** Writes on each claim and pod that it is this EtcdCluster's; what an earlier try has written stays as it is. */
export async function takeOver(work: Work, { claims, pods }: TakeOver): Promise<ActionOutcome> {
  const change = await work.live.clusterHasChanged();
  if (change) return change;
  return allOf([...claims.map((claim) => takeOverClaim(work, claim)), ...pods.map((pod) => takeOverPod(work, pod))]);
}

/** Its owner depends on the spec, and is corrected afterwards, like that of any other claim. */
async function takeOverClaim({ seen, live, writer }: Work, { name, uid }: ObjectId): Promise<ActionOutcome> {
  const { cluster } = seen;
  const claim = await live.find(resources.persistentVolumeClaims, name);
  if (!claim) return DONE;
  const found = retainedClaim(claim, cluster);
  if (claim.metadata.uid !== uid || found?.clusterId !== cluster.status?.clusterID) {
    return postponed(`PVC ${name} was replaced by another one`);
  }
  const annotations = { [ANNOTATIONS.clusterUid]: cluster.metadata.uid };
  return unlessChanged(`PVC ${name}`, () =>
    writer.patch(resources.persistentVolumeClaims, claim.metadata, { metadata: { annotations } }),
  );
}

async function takeOverPod({ seen, live, writer }: Work, { name, uid }: ObjectId): Promise<ActionOutcome> {
  const { cluster } = seen;
  const pod = await live.find(resources.pods, name);
  if (!pod) return DONE;
  const isSame = pod.metadata.uid === uid && !pod.metadata.deletionTimestamp && isOrphanOf(pod, cluster);
  if (!isSame || ownAnnotations(pod).clusterId !== cluster.status?.clusterID) {
    return postponed(`Pod ${name} has changed since it was read`);
  }
  const ownerReferences = [...(pod.metadata.ownerReferences ?? []), ownerReference(cluster)];
  return unlessChanged(`Pod ${name}`, () =>
    writer.patch(resources.pods, pod.metadata, { metadata: { ownerReferences } }),
  );
}
