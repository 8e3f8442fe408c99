import type { Stored } from "@etcd-operator/kubernetes-client";
import { resources } from "@etcd-operator/kubernetes-client";
import type { PersistentVolumeClaim, Pod } from "kubernetes-types/core/v1.d.ts";
import type { EtcdCluster } from "../../api/etcd-cluster.ts";
import { ownResources } from "../../objects/own-resources.ts";
import { DONE, type Postponed, postponed } from "../act/postponed.ts";
import type { Work } from "../act/work.ts";
import type { ActionOutcome, AdoptOrphans, Step } from "../model/action.ts";
import { retainedClaims } from "../observe/claim-seen.ts";
import { isLeftover, isOwnedBy } from "../observe/ownership.ts";
import { isOrphanOf } from "../observe/pods-by-owner.ts";
import { judgeRetained } from "./retained-volumes.rule.ts";

type Reattach = Extract<Step, { kind: "reattach" }>;

/**
 * Checks, past all caches, whether the volumes of the deleted cluster are unchanged, and that no pod uses them. The
 * status that is written next has the version of the EtcdCluster as its precondition, which is why that is compared
 * too.
 */
export async function reattach(work: Work, { clusterId }: Reattach): Promise<ActionOutcome> {
  const { cluster } = work.seen;
  const { change, pods, claims } = await look(work);
  if (change) return change;
  const retained = retainedClaims(claims, cluster);
  const found = judgeRetained(retained, cluster);
  if (found.kind !== "majority" || found.clusterId !== clusterId) return postponed("the volumes have changed");
  const names = new Set(retained.map(({ name }) => name));
  const pod = pods.find((each) => isOfCluster(each, cluster) || usesAny(each, names));
  return pod ? postponed(`Pod ${pod.metadata.name} exists and may use a volume`, 1_000) : DONE;
}

/** The same for members that run: these very pods, none of which has got an owner since, and no others. */
export async function adoptOrphans(work: Work, action: AdoptOrphans): Promise<ActionOutcome> {
  const { cluster } = work.seen;
  const { change, pods } = await look(work);
  if (change) return change;
  const isSeen = ({ metadata }: Stored<Pod>) => action.pods.some(({ uid }) => uid === metadata.uid);
  const lost = action.pods.find(({ uid }) => !pods.some(({ metadata }) => metadata.uid === uid));
  if (lost) return postponed(`Pod ${lost.name} was deleted`);
  const other = pods.find((pod) =>
    isSeen(pod) ? !isOrphanOf(pod, cluster) || pod.metadata.deletionTimestamp !== undefined : isOfCluster(pod, cluster),
  );
  return other ? postponed(`Pod ${other.metadata.name} has changed since it was read`, 1_000) : DONE;
}

async function look({ seen: { cluster }, live }: Work): Promise<{
  readonly change: Postponed | undefined;
  readonly pods: readonly Stored<Pod>[];
  readonly claims: readonly Stored<PersistentVolumeClaim>[];
}> {
  const { name, uid, resourceVersion } = cluster.metadata;
  const [now, pods, claims] = await Promise.all([
    live.find(ownResources.etcdClusters, name),
    live.labelled(resources.pods),
    live.labelled(resources.persistentVolumeClaims),
  ]);
  const isGone = now?.metadata.uid !== uid || now.metadata.deletionTimestamp;
  const hasChanged = now?.metadata.resourceVersion !== resourceVersion;
  const what = isGone ? "does not exist any more" : "has changed";
  return { change: isGone || hasChanged ? postponed(`EtcdCluster ${name} ${what}`) : undefined, pods, claims };
}

function isOfCluster(pod: Stored<Pod>, cluster: Stored<EtcdCluster>): boolean {
  return isOwnedBy(pod, cluster.metadata.uid) || isLeftover(pod, cluster) || isOrphanOf(pod, cluster);
}

function usesAny({ spec }: Pod, claims: ReadonlySet<string>): boolean {
  return spec?.volumes?.some((volume) => claims.has(volume.persistentVolumeClaim?.claimName ?? "")) ?? false;
}
