import type { Peer } from "@etcd-operator/operator/cluster/objects/pod/start.ts";
import type { Leader, MadeCluster } from "../made-cluster.ts";

/** One member, to which the others are added: each a learner that is promoted as soon as etcd lets us. */
export async function foundOneByOne(steps: MadeCluster, size: number): Promise<void> {
  await steps.makeServices();
  const seeds = await steps.makeSeeds(1);
  const leader = await identifySeeds(steps, seeds);
  const peers: Peer[] = [...seeds];
  while (peers.length < size) peers.push(await steps.join(leader, peers));
  leader.client.close();
}

/** All at once, each told of all the others. */
export async function foundTogether(steps: MadeCluster, size: number): Promise<void> {
  await steps.makeServices();
  const leader = await identifySeeds(steps, await steps.makeSeeds(size));
  leader.client.close();
}

async function identifySeeds(steps: MadeCluster, seeds: readonly [Peer, ...Peer[]]): Promise<Leader> {
  const leader = await steps.leader(seeds[0]);
  const { client, clusterId } = leader;
  const members = await client.members();
  await Promise.all(members.map(({ name, id }) => steps.identify(name, { clusterId, memberId: id.toString(16) })));
  return leader;
}
