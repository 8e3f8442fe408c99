import type { EtcdCluster } from "../../src/api/etcd-cluster.ts";
import { resources } from "../../src/kubernetes/resources.ts";
import { aManifest } from "../../test/support/scenario/a-manifest.ts";
import { type Contestant, type Kind, MeasuredCluster, optionsOf } from "./contestant.ts";
import type { WatchedWorld } from "./watched-world.ts";
import { untilWhole } from "./whole-cluster.ts";

/** The namespace that the operator of local mode looks after. */
export const OPERATED = "default";

/** The operator: a user writes an EtcdCluster, and later loses a pod. */
export class ByOperator implements Contestant {
  readonly #world: WatchedWorld;
  readonly #kind: Kind;
  readonly #prefix: string;
  #count = 0;
  #cluster: MeasuredCluster | undefined;

  constructor(world: WatchedWorld, kind: Kind, prefix = `operated-${kind.bootstrap.toLowerCase()}`) {
    this.#world = world;
    this.#kind = kind;
    this.#prefix = prefix;
  }

  get cluster(): MeasuredCluster {
    if (!this.#cluster) throw new Error("no cluster has been created");
    return this.#cluster;
  }

  async create(): Promise<number> {
    this.#count += 1;
    const name = `${this.#prefix}-${this.#count}`;
    const manifest = aManifest(name, optionsOf(this.#kind, OPERATED));
    const cluster = new MeasuredCluster(this.#world, OPERATED, name);
    this.#cluster = cluster;
    return cluster.timed(async () => {
      await this.#world.client.create(resources.etcdClusters, manifest as unknown as EtcdCluster);
      await untilWhole(this.#world, cluster);
    });
  }

  async heal(): Promise<number> {
    const { cluster } = this;
    await cluster.restedFor(this.#kind);
    const { follower } = await cluster.leaderAndFollower();
    return cluster.timed(async () => {
      await this.#world.client.delete(resources.pods, follower.metadata);
      await untilWhole(this.#world, cluster, follower.metadata.uid);
    });
  }

  async remove(): Promise<void> {
    await this.#cluster?.end();
  }
}
