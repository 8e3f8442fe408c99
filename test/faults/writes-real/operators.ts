import { connectEtcd } from "@etcd-operator/etcd-client";
import { KubeClient, resources } from "@etcd-operator/kubernetes-client";
import { ownResources } from "@etcd-operator/operator/objects/own-resources.ts";
import type { SeenWrite } from "@etcd-operator/testing/loops/loops.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { faultyConnect } from "../transport/etcd-transport.ts";
import { faultyAsk, notedAsk } from "../transport/kubernetes-transport.ts";
import { Life } from "../transport/life.ts";
import type { NumberedWrites } from "../transport/writes.ts";
import { carrierOf } from "../world/in-process-carrier.ts";
import type { MemoryBackups } from "../world/memory-backups.ts";
import { startOperator } from "../world/operator-under-test.ts";
import { AddressedWrites } from "./addressed-writes.ts";
import type { RealWorld } from "./real-world.ts";

/**
 * A request without an answer times out after this time: sooner than in production, as nothing else happens meanwhile.
 */
const PATIENCE_MS = 2_000;

/** The operators of a namespace, one after the other, in this process; their writes can go wrong. */
export class Operators {
  /** What all of them have logged. */
  readonly log: string[] = [];
  /** Why some ended that were not stopped. */
  readonly ends: string[] = [];
  /** What all of them have written to the API server. */
  readonly written: SeenWrite[] = [];
  writes = new AddressedWrites();
  readonly #world: RealWorld;
  readonly #namespace: string;
  readonly #backups: MemoryBackups;
  #life: Life | undefined;
  #started = 0;
  /** The log of the newest. */
  #said: string[] = [];
  #isOver = false;

  constructor(world: RealWorld, namespace: string, backups: MemoryBackups) {
    this.#world = world;
    this.#namespace = namespace;
    this.#backups = backups;
    this.#start();
  }

  /** Has another one, which has reconciled everything. */
  async renew(): Promise<void> {
    const count = this.#started;
    this.#life?.crash();
    const clusters = this.#world.history.of(this.#namespace).of(ownResources.etcdClusters);
    const sign = clusters.length > 0 ? '"action":' : '"watching"';
    const hasLooked = () => this.#started > count && this.#said.some((line) => line.includes(sign));
    await until(hasLooked, { what: "an operator to look at its cluster", everyMs: 20 });
  }

  stop(): void {
    this.#isOver = true;
    this.#life?.crash();
  }

  #start(): void {
    const { connection, ask, random } = this.#world;
    const life = new Life();
    this.#life = life;
    this.#started += 1;
    this.#said = [];
    const writes: NumberedWrites = { next: (what, body) => this.writes.next(what, body) };
    const noted = notedAsk(ask, (write) => this.written.push(write));
    const carrier = carrierOf(faultyAsk(noted, writes, life));
    const { ended } = startOperator({
      client: new KubeClient({ ...connection, carrier }, { timeoutMs: PATIENCE_MS }),
      connect: faultyConnect(connectEtcd, writes, life),
      outside: { openStore: this.#backups.openerFor(writes, life), push: undefined },
      namespace: this.#namespace,
      identity: `operator-${this.#started}`,
      random,
      life,
      log: (line) => {
        this.log.push(line);
        if (this.#life === life) this.#said.push(line);
      },
    });
    life.signal.addEventListener("abort", () => void this.#startAgain());
    void ended.then((why) => {
      if (life.isOver) return;
      this.ends.push(`an operator ended of itself: ${why}`);
      life.crash();
    });
  }

  async #startAgain(): Promise<void> {
    if (this.#isOver) return;
    try {
      // Their holder is dead for certain, so there is no need to wait for them to run out.
      await this.#world.client.deleteCollection(resources.leases, { namespace: this.#namespace });
      this.#start();
    } catch (error) {
      this.ends.push(`no other operator could be started: ${error}`);
    }
  }
}
