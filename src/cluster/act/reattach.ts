import type { PersistentVolumeClaim } from "kubernetes-types/core/v1.d.ts";
import type { Stored } from "../../kubernetes/kube-object.ts";
import { resources } from "../../kubernetes/resources.ts";
import type { ActionOutcome, ObjectId, Step } from "../action.ts";
import { ANNOTATIONS } from "../objects/annotations.ts";
import { retainedClaim, retainedClaims } from "../observe/claim-seen.ts";
import { judgeRetained } from "../retained.ts";
import { allOf, DONE, type Postponed, postponed, unlessChanged } from "./postponed.ts";
import type { Work } from "./work.ts";

type Reattach = Extract<Step, { kind: "reattach" }>;

/**
 * Looks, past all caches, whether the volumes of the deleted cluster still are what was seen, and that no pod uses them. The status that is
 * written next has the version of the EtcdCluster as its precondition, which is why that is compared too.
 */
export async function reattach({ seen: { cluster }, live }: Work, { clusterId }: Reattach): Promise<ActionOutcome> {
  const { name, uid, resourceVersion } = cluster.metadata;
  const [now, pods, claims] = await Promise.all([
    live.find(resources.etcdClusters, name),
    live.labelled(resources.pods),
    live.labelled(resources.persistentVolumeClaims),
  ]);
  if (now?.metadata.uid !== uid || now.metadata.deletionTimestamp) return postponed(`EtcdCluster ${name} is gone`);
  if (now.metadata.resourceVersion !== resourceVersion) return postponed(`EtcdCluster ${name} has changed`);
  const found = judgeRetained(retainedClaims(claims, cluster), cluster);
  if (found.kind !== "majority" || found.clusterId !== clusterId) return postponed("the volumes have changed");
  const [pod] = pods;
  return pod ? postponed(`Pod ${pod.metadata.name} is there, and may use a volume`, 1_000) : DONE;
}

/** Writes on each claim that it is this EtcdCluster's; what an earlier try has written stays as it is. */
export async function takeOverClaims(work: Work, claims: readonly ObjectId[]): Promise<ActionOutcome> {
  const change = await work.live.clusterHasChanged();
  return change ?? allOf(claims.map((claim) => takeOver(work, claim)));
}

async function takeOver({ seen, live, writer }: Work, { name, uid }: ObjectId): Promise<ActionOutcome> {
  const claim = await live.find(resources.persistentVolumeClaims, name);
  const obstacle = claim ? whyNotOurs(claim, uid, seen.cluster) : undefined;
  if (!claim || obstacle) return obstacle ?? DONE;
  const annotations = { [ANNOTATIONS.clusterUid]: seen.cluster.metadata.uid };
  return unlessChanged(`claim ${name}`, () =>
    writer.patch(resources.persistentVolumeClaims, claim.metadata, { metadata: { annotations } }),
  );
}

function whyNotOurs(
  claim: Stored<PersistentVolumeClaim>,
  uid: string,
  cluster: Work["seen"]["cluster"],
): Postponed | undefined {
  const found = retainedClaim(claim, cluster);
  const isSame = claim.metadata.uid === uid && found?.clusterId === cluster.status?.clusterID;
  return isSame ? undefined : postponed(`claim ${claim.metadata.name} is another one by now`);
}
