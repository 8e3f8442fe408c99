import { resources } from "@etcd-operator/kubernetes-client";
import type { EtcdCluster } from "@etcd-operator/operator/api/etcd-cluster.ts";
import { ownResources } from "@etcd-operator/operator/objects/own-resources.ts";
import { aManifest } from "@etcd-operator/testing/scenario/cluster/a-manifest.ts";
import { type Contestant, type Kind, MeasuredCluster, optionsOf, type Role } from "./contestant.ts";
import { foundOneByOne, foundTogether } from "./hand/found.ts";
import { lossOf, makeGood } from "./hand/make-good.ts";
import { grow, shrink } from "./hand/resize.ts";
import { rollEach } from "./hand/roll.ts";
import { MadeCluster } from "./made-cluster.ts";
import type { WatchedWorld } from "./watched-world.ts";
import { untilWhole } from "./whole-cluster.ts";

/** A namespace that no operator looks after. */
export const UNATTENDED = "by-hand";

/**
 * The limit: an administrator who knows beforehand what has to be done and does only that, each call right after the
 * one that it depends on.
 */
export class ByHand implements Contestant {
  readonly #world: WatchedWorld;
  readonly #kind: Kind;
  readonly #prefix: string;
  #count = 0;
  #size: number;
  #made: { readonly steps: MadeCluster; readonly cluster: MeasuredCluster } | undefined;

  constructor(world: WatchedWorld, kind: Kind, prefix = `by-hand-${kind.bootstrap.toLowerCase()}`) {
    this.#world = world;
    this.#kind = kind;
    this.#prefix = prefix;
    this.#size = kind.size;
  }

  get cluster(): MeasuredCluster {
    return this.#current.cluster;
  }

  /** No controller acts on the object: it only owns what is made, so that one deletion removes all of it. */
  async prepare(): Promise<void> {
    this.#count += 1;
    this.#size = this.#kind.size;
    const name = `${this.#prefix}-${this.#count}`;
    const manifest = aManifest(name, optionsOf(this.#kind, UNATTENDED));
    const owner = await this.#world.client.create(ownResources.etcdClusters, manifest as unknown as EtcdCluster);
    const cluster = new MeasuredCluster(this.#world, UNATTENDED, name);
    this.#made = { steps: new MadeCluster(this.#world, owner), cluster };
  }

  async create(): Promise<number> {
    const [{ steps, cluster }, { bootstrap, size }] = [this.#current, this.#kind];
    return cluster.timed(async () => {
      await (bootstrap === "Parallel" ? foundTogether(steps, size) : foundOneByOne(steps, size));
      await untilWhole(this.#world, cluster, { size });
    });
  }

  async heal(role: Role): Promise<number> {
    const { steps, cluster } = this.#current;
    const { lost, survivor } = await cluster.lostAndSurvivor(role);
    return cluster.ask(survivor, async (client) => {
      const loss = await lossOf(lost, client);
      return cluster.timed(async () => {
        await this.#world.client.delete(resources.pods, lost.metadata);
        await makeGood(this.#world, steps, loss, this.#kind);
        await untilWhole(this.#world, cluster, { size: this.#size, without: [lost.metadata.uid] });
      });
    });
  }

  async resize(size: number): Promise<number> {
    const { steps, cluster } = this.#current;
    const change = await (size > this.#size ? grow(steps, cluster, size) : shrink(this.#world, cluster, size));
    this.#size = size;
    return cluster.timed(async () => {
      await change();
      await untilWhole(this.#world, cluster, { size });
    });
  }

  async roll(version: string): Promise<number> {
    const [{ steps, cluster }, size] = [this.#current, this.#size];
    const order = await cluster.roles();
    const whenRunning = (members: number) => untilWhole(this.#world, cluster, { size, running: { version, members } });
    return cluster.timed(() => rollEach({ steps, cluster, version, order, whenRunning }));
  }

  async remove(): Promise<void> {
    await this.#made?.cluster.end();
    this.#made = undefined;
  }

  get #current() {
    if (!this.#made) throw new Error("no cluster has been created");
    return this.#made;
  }
}
