import { setTimeout as pause } from "node:timers/promises";
import { connectEtcd, type EtcdClient } from "@etcd-operator/etcd-client";
import type { ObjectRef } from "@etcd-operator/kubernetes-client";
import { CLIENT_PORT, clientServiceName } from "@etcd-operator/operator/api/cluster/cluster-names.ts";
import { EtcdClients } from "./etcd-clients.ts";
import type { WatchedWorld } from "./watched-world.ts";

export const SIZE = 3;
/** How often etcd is asked where it has no way to tell by itself. */
export const ASK_MS = 10;
const ANSWER_MS = 1_000;
const PATIENCE_MS = 180_000;

/** What a whole cluster is, beside that its members are all voters and answer. */
export interface Whole {
  /** Three, unless told otherwise. */
  readonly size?: number;
  /** UIDs of pods that may not be among its own. */
  readonly without?: readonly string[];
  /** So many of its members, at least, run this version. */
  readonly running?: { readonly version: string; readonly members: number };
}

/**
 * Resolves when a cluster is what its user waits for: clients are led to as many members as it should have, and these
 * are all its members, vote, and answer reads that a majority agreed on.
 */
export async function untilWhole(world: WatchedWorld, cluster: ObjectRef, whole: Whole = {}): Promise<void> {
  const { size = SIZE, without = [] } = whole;
  const service = { namespace: cluster.namespace, name: clientServiceName(cluster.name) };
  const open = () => {
    const addresses = world.addresses(service);
    const isFull = addresses.length === size && addresses.every(({ podUid }) => !without.includes(podUid));
    return isFull ? addresses : undefined;
  };
  const what = `${size} members of ${cluster.name} to be open to clients`;
  const clients = new EtcdClients((address) => connectEtcd({ address }, { timeoutMs: ANSWER_MS }));
  const deadline = performance.now() + PATIENCE_MS;
  try {
    while (performance.now() < deadline) {
      const addresses = await world.until(what, open);
      const members = addresses.map(({ ip }) => clients.of(`${ip}:${CLIENT_PORT}`));
      // Whom clients were led to a moment ago may have left meanwhile.
      if ((await areAllThere(members, { ...whole, size })) && open()) return;
      await pause(ASK_MS);
    }
  } finally {
    clients.close();
  }
  throw new Error(`gave up waiting for all members of ${cluster.name} to vote and to answer`);
}

async function areAllThere(members: readonly EtcdClient[], { size, running }: Whole): Promise<boolean> {
  const answers = await Promise.all(
    members.map(async (member) => {
      const [{ health }, list] = await Promise.all([member.health(), member.members().catch(() => [])]);
      return health === "healthy" && list.length === size && list.every(({ isLearner }) => !isLearner);
    }),
  );
  if (!answers.every(Boolean)) return false;
  if (!running) return true;
  const versions = await Promise.all(members.map((member) => versionOf(member)));
  return versions.filter((version) => version === running.version).length >= running.members;
}

async function versionOf(member: EtcdClient): Promise<string> {
  return member.status().then(
    ({ version }) => version,
    () => "",
  );
}
