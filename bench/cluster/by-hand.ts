import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { CLIENT_PORT } from "../../src/api/cluster-names.ts";
import type { EtcdCluster } from "../../src/api/etcd-cluster.ts";
import type { Peer } from "../../src/cluster/objects/start.ts";
import { connectEtcd, type EtcdClient } from "../../src/etcd/etcd-client.ts";
import type { Stored } from "../../src/kubernetes/kube-object.ts";
import { resources } from "../../src/kubernetes/resources.ts";
import { aManifest } from "../../test/support/scenario/a-manifest.ts";
import { type Contestant, type Kind, MeasuredCluster, optionsOf } from "./contestant.ts";
import { type Leader, MadeCluster } from "./made-cluster.ts";
import type { WatchedWorld } from "./watched-world.ts";
import { SIZE, untilWhole } from "./whole-cluster.ts";

/** A namespace that no operator looks after. */
export const UNATTENDED = "by-hand";

/**
 * The limit: somebody who knows beforehand what has to be done and does only that, each call right after the one that it depends on.
 */
export class ByHand implements Contestant {
  readonly #world: WatchedWorld;
  readonly #kind: Kind;
  #count = 0;
  #steps: MadeCluster | undefined;
  #cluster: MeasuredCluster | undefined;

  constructor(world: WatchedWorld, kind: Kind) {
    this.#world = world;
    this.#kind = kind;
  }

  async create(): Promise<number> {
    this.#count += 1;
    const { bootstrap } = this.#kind;
    const name = `by-hand-${bootstrap.toLowerCase()}-${this.#count}`;
    const manifest = aManifest(name, optionsOf(this.#kind, UNATTENDED));
    // Nobody acts on it: it only owns what is made, so that one deletion removes all of it.
    const owner = await this.#world.client.create(resources.etcdClusters, manifest as unknown as EtcdCluster);
    const steps = new MadeCluster(this.#world, owner);
    const cluster = new MeasuredCluster(this.#world, UNATTENDED, name);
    [this.#steps, this.#cluster] = [steps, cluster];
    return cluster.timed(async () => {
      await (bootstrap === "Parallel" ? foundTogether(steps) : foundOneByOne(steps));
      await untilWhole(this.#world, cluster);
    });
  }

  async heal(): Promise<number> {
    const [steps, cluster] = [this.#steps, this.#cluster];
    if (!steps || !cluster) throw new Error("no cluster has been created");
    await cluster.restedFor(this.#kind);
    const { leader, follower } = await cluster.leaderAndFollower();
    const client = connectEtcd({ address: `${leader.status?.podIP}:${CLIENT_PORT}` });
    try {
      const loss = await lossOf(follower, client);
      return await cluster.timed(async () => {
        await this.#world.client.delete(resources.pods, follower.metadata);
        await (this.#kind.claims ? this.#bringBack(steps, loss) : replace(steps, loss));
        await untilWhole(this.#world, cluster, follower.metadata.uid);
      });
    } finally {
      client.close();
    }
  }

  async remove(): Promise<void> {
    await this.#cluster?.end();
  }

  async #bringBack(steps: MadeCluster, { pod, leader, memberId }: Loss): Promise<void> {
    const { name, uid } = pod.metadata;
    await this.#world.until(
      `the end of ${name}`,
      () => this.#world.pod(pod.metadata)?.metadata.uid !== uid || undefined,
    );
    await steps.bringBack(name, { clusterId: leader.clusterId, memberId: memberId.toString(16) });
  }
}

/** All that has to be known beforehand of a member whose pod will go. */
interface Loss {
  readonly pod: Stored<Pod>;
  readonly memberId: bigint;
  readonly others: readonly Peer[];
  readonly leader: Leader;
}

async function lossOf(pod: Stored<Pod>, client: EtcdClient): Promise<Loss> {
  const [members, { clusterId }] = [await client.members(), await client.status()];
  const isIt = ({ name }: { name: string }) => name === pod.metadata.name;
  const others = members.filter((member) => !isIt(member));
  return {
    pod,
    memberId: members.find(isIt)?.id ?? 0n,
    others: others.map(({ name, peerUrls: [peerUrl = ""] }) => ({ name, peerUrl })),
    leader: { client, clusterId: clusterId.toString(16) },
  };
}

async function replace(steps: MadeCluster, { memberId, others, leader }: Loss): Promise<void> {
  await leader.client.removeMember(memberId);
  await steps.join(leader, others);
}

async function foundOneByOne(steps: MadeCluster): Promise<void> {
  await steps.makeServices();
  const seeds = await steps.makeSeeds(1);
  const leader = await identifySeeds(steps, seeds);
  const peers: Peer[] = [...seeds];
  while (peers.length < SIZE) peers.push(await steps.join(leader, peers));
  leader.client.close();
}

async function foundTogether(steps: MadeCluster): Promise<void> {
  await steps.makeServices();
  const leader = await identifySeeds(steps, await steps.makeSeeds(SIZE));
  leader.client.close();
}

async function identifySeeds(steps: MadeCluster, seeds: readonly [Peer, ...Peer[]]): Promise<Leader> {
  const leader = await steps.leader(seeds[0]);
  const { client, clusterId } = leader;
  const members = await client.members();
  await Promise.all(members.map(({ name, id }) => steps.identify(name, { clusterId, memberId: id.toString(16) })));
  return leader;
}
