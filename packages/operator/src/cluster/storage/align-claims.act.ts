import { resources } from "@etcd-operator/kubernetes-client";
import { memberLabels } from "../../api/cluster/cluster-names.ts";
import { allOf, DONE, postponed, unlessChanged } from "../act/postponed.ts";
import type { Work } from "../act/work.ts";
import type { ActionOutcome, ObjectId, Step } from "../model/action.ts";
import { ANNOTATIONS } from "../objects/annotations.ts";
import { ownerReference } from "../objects/owner.ts";
import { claimSeen } from "../observe/claim-seen.ts";

type AlignClaims = Extract<Step, { kind: "align-claims" }>;

/**
 * Sets owner references and labels of claims. A claim whose owner does not exist is deleted with its data, so the
 * cluster is read live first; other owners of the claim keep their say.
 */
export async function alignClaims(work: Work, { claims, isOwned }: AlignClaims): Promise<ActionOutcome> {
  const change = await work.live.clusterHasChanged();
  return change ?? allOf(claims.map((claim) => align(work, claim, isOwned)));
}

async function align({ seen, live, writer }: Work, { name, uid }: ObjectId, isOwned: boolean): Promise<ActionOutcome> {
  const { cluster } = seen;
  const claim = await live.find(resources.persistentVolumeClaims, name);
  if (!claim) return DONE;
  if (claim.metadata.uid !== uid || !claimSeen(claim, cluster.metadata.uid))
    return postponed(`PVC ${name} was replaced by another one`);
  const others = (claim.metadata.ownerReferences ?? []).filter((owner) => owner.uid !== cluster.metadata.uid);
  const ownerReferences = isOwned ? [...others, ownerReference(cluster)] : others;
  const labels = memberLabels(cluster.metadata.name, name);
  // A claim that coreos/etcd-operator made has nothing else that shows its cluster, once its owner is removed.
  const annotations = { [ANNOTATIONS.clusterUid]: cluster.metadata.uid };
  return unlessChanged(`claim ${name}`, () =>
    writer.patch(resources.persistentVolumeClaims, claim.metadata, {
      metadata: { ownerReferences, labels, annotations },
    }),
  );
}
