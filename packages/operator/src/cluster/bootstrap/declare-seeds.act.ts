import { resources } from "@etcd-operator/kubernetes-client";
import { ownResources } from "../../objects/own-resources.ts";
import { DONE, postponed } from "../act/postponed.ts";
import type { Work } from "../act/work.ts";
import type { ActionOutcome } from "../model/action.ts";
import { retainedClaims } from "../observe/claim-seen.ts";
import { isLeftover, isOwnedBy } from "../observe/ownership.ts";
import { isOrphanOf } from "../observe/pods-by-owner.ts";
import { withSetAside } from "../observe/set-aside-seen.ts";
import { whyFormerMayRun } from "../restore/previous-members.act.ts";
import { undecidedRestore } from "../restore/restoring.rule.ts";
import { judgeRetained } from "./retained-volumes.rule.ts";

/**
 * Checks, past all caches, whether objects of this cluster exist already: a bootstrap beside existing data would lose
 * it. What a restore has set aside may be there, but must not run. The status that is written next has the version of
 * the EtcdCluster as its precondition, which is why that is compared too.
 */
export async function declareSeeds({ seen: { cluster }, live }: Work): Promise<ActionOutcome> {
  const { name, uid, resourceVersion } = cluster.metadata;
  const [now, pods, claims] = await Promise.all([
    live.find(ownResources.etcdClusters, name),
    live.labelled(resources.pods),
    live.labelled(resources.persistentVolumeClaims),
  ]);
  if (now?.metadata.uid !== uid || now.metadata.deletionTimestamp)
    return postponed(`EtcdCluster ${name} does not exist any more`);
  if (now.metadata.resourceVersion !== resourceVersion) return postponed(`EtcdCluster ${name} has changed`);
  const own = pods.filter((pod) => isOwnedBy(pod, uid));
  const { current } = withSetAside(cluster, own, claims);
  const found = [
    ...current.pods.map((pod) => `Pod ${pod.metadata.name}`),
    ...current.claims.map((claim) => `PVC ${claim.name}`),
  ];
  if (found.length > 0)
    return postponed(`not bootstrapping: objects of this cluster already exist: ${found.join(", ")}`);
  const orphan = pods.find((pod) => isOrphanOf(pod, cluster));
  if (orphan) return postponed(`Pod ${orphan.metadata.name} runs without an owner`, 1_000);
  // In the place of what a restore brings there is nothing to hide.
  const retained = undecidedRestore(cluster.status ?? {})
    ? { kind: "none" }
    : judgeRetained(retainedClaims(claims, cluster), cluster);
  if (retained.kind !== "none")
    return postponed("not bootstrapping: volumes of a deleted EtcdCluster of this name exist", 1_000);
  const running = whyFormerMayRun(cluster, own);
  if (running) return running;
  const leftover = pods.find((pod) => !own.includes(pod) && isLeftover(pod, cluster));
  if (!leftover) return DONE;
  return postponed(`Pod ${leftover.metadata.name} of a deleted cluster of the same name still exists`, 1_000);
}
