import { setTimeout as pause } from "node:timers/promises";
import { CLIENT_PORT, clientServiceName } from "../../src/api/cluster-names.ts";
import { connectEtcd, type EtcdClient } from "../../src/etcd/etcd-client.ts";
import type { ObjectRef } from "../../src/kubernetes/kube-object.ts";
import type { WatchedWorld } from "./watched-world.ts";

export const SIZE = 3;
/** How often etcd is asked where it has no way to tell by itself. */
export const ASK_MS = 10;

/**
 * Resolves when a cluster is what its user waits for: clients are led to as many members as it should have, and these are all its
 * members, vote, and answer reads that a majority agreed on. `lostPod` is the UID of a pod that may not be among them.
 */
export async function untilWhole(world: WatchedWorld, cluster: ObjectRef, lostPod = ""): Promise<void> {
  const service = { namespace: cluster.namespace, name: clientServiceName(cluster.name) };
  const open = await world.until(`${SIZE} members of ${cluster.name} to be open to clients`, () => {
    const addresses = world.addresses(service);
    const isWhole = addresses.length === SIZE && addresses.every(({ podUid }) => podUid !== lostPod);
    return isWhole ? addresses : undefined;
  });
  const members = open.map(({ ip }) => connectEtcd({ address: `${ip}:${CLIENT_PORT}` }, { timeoutMs: 2_000 }));
  try {
    while (!(await areAllVoters(members))) await pause(ASK_MS);
  } finally {
    for (const member of members) member.close();
  }
}

async function areAllVoters(members: readonly EtcdClient[]): Promise<boolean> {
  const answers = await Promise.all(
    members.map(async (member) => {
      const [{ health }, list] = await Promise.all([member.health(), member.members().catch(() => [])]);
      return health === "healthy" && list.length === SIZE && list.every(({ isLearner }) => !isLearner);
    }),
  );
  return answers.every(Boolean);
}
