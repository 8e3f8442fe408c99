import type { EtcdClient } from "@etcd-operator/etcd-client";
import type { Stored } from "@etcd-operator/kubernetes-client";
import type { Peer } from "@etcd-operator/operator/cluster/objects/pod/start.ts";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import type { Kind } from "../contestant.ts";
import { type Leader, type MadeCluster, removeMember } from "../made-cluster.ts";
import type { WatchedWorld } from "../watched-world.ts";

/** All that has to be known beforehand of a member whose pod will go. */
export interface Loss {
  readonly pod: Stored<Pod>;
  readonly memberId: bigint;
  readonly others: readonly Peer[];
  /** Who is told of changes to the members: one that stays. */
  readonly told: Leader;
}

export async function lossOf(pod: Stored<Pod>, client: EtcdClient): Promise<Loss> {
  const [members, { clusterId }] = [await client.members(), await client.status()];
  const isIt = ({ name }: { name: string }) => name === pod.metadata.name;
  const others = members.filter((member) => !isIt(member));
  return {
    pod,
    memberId: members.find(isIt)?.id ?? 0n,
    others: others.map(({ name, peerUrls: [peerUrl = ""] }) => ({ name, peerUrl })),
    told: { client, clusterId: clusterId.toString(16) },
  };
}

/** The same member on its claim; else a replacement, which does not wait until the pod is gone. */
export async function makeGood(world: WatchedWorld, steps: MadeCluster, loss: Loss, { claims }: Kind): Promise<void> {
  const { pod, memberId, others, told } = loss;
  if (!claims) {
    await removeMember(told.client, memberId);
    await steps.join(told, others);
    return;
  }
  const { name, uid } = pod.metadata;
  await world.until(`the end of ${name}`, () => world.pod(pod.metadata)?.metadata.uid !== uid || undefined);
  await steps.bringBack(name, { clusterId: told.clusterId, memberId: memberId.toString(16) });
}
