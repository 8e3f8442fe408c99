import type { Endpoint, EtcdClient } from "@etcd-operator/etcd-client";
import type { ClientOptions } from "@etcd-operator/etcd-client/call-options.ts";
import type { Clock, KubeClient, KubeObject } from "@etcd-operator/kubernetes-client";
import { resources } from "@etcd-operator/kubernetes-client";
import type { Metrics } from "@etcd-operator/operator/context/metrics.ts";
import type { Outside } from "@etcd-operator/operator/restore/start-work.ts";
import type { SeenWrite } from "@etcd-operator/testing/loops/loops.ts";
import { placeOf, seenWrite } from "@etcd-operator/testing/loops/seen-write.ts";
import type { Random } from "../../model/random.ts";
import { faultyConnect } from "../transport/etcd-transport.ts";
import { faultyAsk } from "../transport/kubernetes-transport.ts";
import { Life } from "../transport/life.ts";
import type { Writes } from "../transport/writes.ts";
import { ADMIN, type ApiWorld, apiWorld, clientOf, OPERATOR } from "./api-world.ts";
import { startClusterControllers } from "./cluster-controllers.ts";
import type { Ask, Asked } from "./in-process-carrier.ts";
import { MemoryBackups } from "./memory-backups.ts";
import type { MemoryEtcd } from "./memory-etcd.ts";
import { startOperator } from "./operator-under-test.ts";
import { preparedStore } from "./prepared-store.ts";
import { StoredObjects } from "./stored-objects.ts";
import type { VirtualTime } from "./virtual-time.ts";

export const NAMESPACE = "tests";
export const NODE = "node-1";

// As ever, but for rarer renewals: what they cost would be a sixth of everything.
const ELECTION_TIMES = {
  leaseDurationMs: 15_000,
  renewDeadlineMs: 10_000,
  renewPeriodMs: 7_000,
  retryPeriodMs: 5_000,
  acquirePeriodMs: 5_000,
};

/** What runs the pods, and what is to be found beyond the API server. */
export interface Machine {
  connect(endpoint: Endpoint, options?: ClientOptions): EtcdClient;
  /** How snapshots get into a pod. */
  readonly push?: Outside["push"];
  /** Whether a worker of a volume runs at an address. */
  readonly isServing?: (address: string) => boolean;
}

export interface WorldGiven<M extends Machine> {
  readonly time: VirtualTime;
  readonly writes: Writes;
  readonly random: Random;
  /** Makes the machine whose kubelet follows the API server until the signal. */
  readonly machine: (client: KubeClient, signal: AbortSignal) => M;
  /** Stands between every operator and the API server, beneath the faults. */
  readonly view?: View | undefined;
  /** What every operator goes by; the right time unless another is given. */
  readonly clock?: Clock | undefined;
}

/** What an operator sees instead of what there is. */
export type View = (ask: Ask, life: Life, etcd: MemoryEtcd) => Ask;

const TRUTH: View = (ask) => ask;

/** A Kubernetes in this process, with one operator after the other. */
export class World<M extends Machine = Machine> {
  readonly admin: KubeClient;
  readonly machine: M;
  /** As they lie in the store. */
  readonly objects: StoredObjects;
  readonly backups = new MemoryBackups();
  /** What all operators have logged. */
  readonly log: string[] = [];
  /** How long each of them lived, and why it ended: undefined for one that crashed as planned. */
  readonly ends: unknown[] = [];
  /** What all operators have written to the API server. */
  readonly written: SeenWrite[] = [];
  /** Gets what an operator asks of the API server, right before it is done. */
  onRequest: (asked: Asked) => void = () => undefined;
  readonly #given: WorldGiven<M>;
  readonly #api: ApiWorld;
  readonly #end = new AbortController();
  readonly #metrics: Metrics[] = [];
  #requests = 0;
  #operator: Life | undefined;
  #started = 0;
  #view: View;

  private constructor(given: WorldGiven<M>, api: ApiWorld) {
    this.#given = given;
    this.#view = given.view ?? TRUTH;
    this.#api = api;
    this.admin = api.admin;
    this.objects = new StoredObjects(api.etcd, NAMESPACE);
    given.time.activity = () => this.#requests;
    this.machine = given.machine(clientOf(this.#ask, ADMIN), this.#end.signal);
    void startClusterControllers(clientOf(this.#ask, ADMIN), this.#end.signal, NODE);
  }

  static async open<M extends Machine>(given: WorldGiven<M>): Promise<World<M>> {
    return new World(given, await apiWorld(await preparedStore()));
  }

  /** Starts an operator with an empty memory; when it crashes, another follows at once. */
  startOperator(): void {
    const { writes, random, clock } = this.#given;
    const life = new Life();
    this.#operator = life;
    this.#started += 1;
    const { ended, metrics } = startOperator({
      client: clientOf(faultyAsk(this.#view(this.#askOfOperator, life, this.#api.etcd), writes, life), OPERATOR),
      connect: faultyConnect(this.machine.connect.bind(this.machine), writes, life),
      outside: {
        openStore: this.backups.openerFor(writes, life, this.machine),
        push: this.machine.push?.bind(this.machine),
      },
      namespace: NAMESPACE,
      identity: `operator-${this.#started}`,
      random: () => random.int(2 ** 30) / 2 ** 30,
      clock,
      electionTimes: ELECTION_TIMES,
      life,
      log: (line) => this.log.push(line),
    });
    this.#metrics.push(metrics);
    void ended.then((why) => {
      this.ends.push(why);
      void this.#follow(life);
    });
    // One that hangs in its last words is dead all the same.
    life.signal.addEventListener("abort", () => void this.#follow(life));
  }

  /**
   * The next one need not wait until the Leases run out: meanwhile what it was to be shown would have become what there
   * is.
   */
  async #follow(life: Life): Promise<void> {
    if (this.#operator !== life || this.#end.signal.aborted) return;
    this.#operator = undefined;
    const { items } = await this.admin.list(resources.leases, { namespace: NAMESPACE });
    for (const { metadata } of items) await this.admin.delete(resources.leases, metadata);
    if (!this.#end.signal.aborted) this.startOperator();
  }

  /** Another operator takes over at once, and knows nothing. */
  crashOperator(): void {
    this.#operator?.crash();
  }

  /** From now on operators that start see what there is. */
  showTruth(): void {
    this.#view = TRUTH;
  }

  /** How many controllers of all operators have come to see everything. */
  get watching(): number {
    return this.log.filter((line) => line.includes('"msg":"watching"')).length;
  }

  /** The newest revision of all objects. */
  get revision(): bigint {
    return this.#api.etcd.events.at(-1)?.keyValue.modRevision ?? 0n;
  }

  /** What the metrics of each operator say. */
  async metrics(): Promise<readonly string[]> {
    return Promise.all(this.#metrics.map(async (metrics) => (await metrics.page()).text));
  }

  async close(): Promise<void> {
    this.#end.abort();
    this.#operator?.crash();
    await this.#given.time.settle();
    await this.#api.close();
    await this.#given.time.settle();
  }

  readonly #askOfOperator: Ask = async (asked) => {
    this.onRequest(asked);
    const answer = await this.#ask(asked);
    this.#noteWrite(asked, answer.statusCode);
    return answer;
  };

  #noteWrite({ method, path, body }: Asked, statusCode: number): void {
    if (method === "GET") return;
    const { resource = "", name = nameIn(body) } = placeOf(path) ?? {};
    const [plural = ""] = resource.split("/");
    const object = this.objects.named(plural).find(({ metadata }) => metadata.name === name);
    const write = seenWrite({ ...{ method, path, statusCode, object }, atMs: this.#given.time.elapsedMs });
    if (write) this.written.push(write);
  }

  readonly #ask: Ask = async (asked) => {
    this.#requests += 1;
    return this.#api.ask(asked);
  };
}

function nameIn(body = "{}"): string | undefined {
  return (JSON.parse(body) as KubeObject).metadata?.name;
}
