import { resources } from "@etcd-operator/kubernetes-client";
import type { EtcdCluster } from "@etcd-operator/operator/api/etcd-cluster.ts";
import { ownResources } from "@etcd-operator/operator/objects/own-resources.ts";
import { aManifest } from "@etcd-operator/testing/scenario/cluster/a-manifest.ts";
import { type Contestant, type Kind, MeasuredCluster, optionsOf, type Role } from "./contestant.ts";
import type { WatchedWorld } from "./watched-world.ts";
import { untilWhole } from "./whole-cluster.ts";

/** The namespace that the operator looks after. */
export const OPERATED = "default";

/** The operator: a user writes an EtcdCluster, edits it, and loses a pod. */
export class ByOperator implements Contestant {
  readonly #world: WatchedWorld;
  readonly #kind: Kind;
  readonly #prefix: string;
  #count = 0;
  #size: number;
  #cluster: MeasuredCluster | undefined;

  constructor(world: WatchedWorld, kind: Kind, prefix = `operated-${kind.bootstrap.toLowerCase()}`) {
    this.#world = world;
    this.#kind = kind;
    this.#prefix = prefix;
    this.#size = kind.size;
  }

  get cluster(): MeasuredCluster {
    if (!this.#cluster) throw new Error("no cluster has been created");
    return this.#cluster;
  }

  async prepare(): Promise<void> {}

  async create(): Promise<number> {
    this.#count += 1;
    this.#size = this.#kind.size;
    const name = `${this.#prefix}-${this.#count}`;
    const manifest = aManifest(name, optionsOf(this.#kind, OPERATED));
    const cluster = new MeasuredCluster(this.#world, OPERATED, name);
    this.#cluster = cluster;
    return cluster.timed(async () => {
      await this.#world.client.create(ownResources.etcdClusters, manifest as unknown as EtcdCluster);
      await untilWhole(this.#world, cluster, { size: this.#size });
    });
  }

  async heal(role: Role): Promise<number> {
    const { cluster } = this;
    const { lost } = await cluster.lostAndSurvivor(role);
    return cluster.timed(async () => {
      await this.#world.client.delete(resources.pods, lost.metadata);
      await untilWhole(this.#world, cluster, { size: this.#size, without: [lost.metadata.uid] });
    });
  }

  async resize(size: number): Promise<number> {
    const { cluster } = this;
    this.#size = size;
    return cluster.timed(async () => {
      await cluster.changeSpec({ size });
      await untilWhole(this.#world, cluster, { size });
    });
  }

  async roll(version: string): Promise<number> {
    const [{ cluster }, size] = [this, this.#size];
    return cluster.timed(async () => {
      await cluster.changeSpec({ version });
      await untilWhole(this.#world, cluster, { size, running: { version, members: size } });
    });
  }

  async remove(): Promise<void> {
    await this.#cluster?.end();
    this.#cluster = undefined;
  }
}
