import { resources } from "@etcd-operator/kubernetes-client";
import type { MeasuredCluster } from "../contestant.ts";
import { type MadeCluster, removeMember } from "../made-cluster.ts";
import type { WatchedWorld } from "../watched-world.ts";

type Change = () => Promise<void>;

/**
 * Finds out all that has to be known beforehand; what it returns adds learners, one after the other, and promotes them.
 */
export async function grow(steps: MadeCluster, cluster: MeasuredCluster, size: number): Promise<Change> {
  const members = await cluster.members();
  const peers = members.map(({ name, peerUrls: [peerUrl = ""] }) => ({ name, peerUrl }));
  const { leader } = await cluster.roles();
  return () =>
    cluster.ask(leader, async (client) => {
      const told = { client, clusterId: (await client.status()).clusterId.toString(16) };
      while (peers.length < size) peers.push(await steps.join(told, peers));
    });
}

/** The same for members that are removed: followers, each from etcd's list first. */
export async function shrink({ client }: WatchedWorld, cluster: MeasuredCluster, size: number): Promise<Change> {
  const members = await cluster.members();
  const { leader, followers } = await cluster.roles();
  const victims = followers.slice(0, members.length - size);
  return () =>
    cluster.ask(leader, async (etcd) => {
      const deletions: Promise<unknown>[] = [];
      for (const { metadata } of victims) {
        await removeMember(etcd, members.find(({ name }) => name === metadata.name)?.id ?? 0n);
        deletions.push(client.delete(resources.pods, metadata));
      }
      await Promise.all(deletions);
    });
}
