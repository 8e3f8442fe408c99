import { setTimeout as pause } from "node:timers/promises";
import type { ClusterUnderTest } from "@etcd-operator/testing/scenario/cluster/cluster-under-test.ts";

const EVERY_MS = 150;

/** What the status of a cluster has said from the beginning; read often, so a moment may be missed. */
export class StatusWatch {
  readonly #cluster: ClusterUnderTest;
  readonly #ids: string[] = [];
  readonly #told = new Set<string>();
  #isOver = false;
  #work: Promise<void> | undefined;

  constructor(cluster: ClusterUnderTest) {
    this.#cluster = cluster;
  }

  /** The ids that it has had, each once, in order. */
  get clusterIds(): readonly string[] {
    return this.#ids;
  }

  /** What conditions said while they were true, with their reasons. */
  get told(): readonly string[] {
    return [...this.#told];
  }

  start(): void {
    this.#work = this.#keepOn();
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#work;
  }

  async #keepOn(): Promise<void> {
    while (!this.#isOver) {
      await this.#look().catch(() => undefined);
      await pause(EVERY_MS);
    }
  }

  async #look(): Promise<void> {
    const { status } = await this.#cluster.get();
    const { clusterID, conditions = [] } = status ?? {};
    if (clusterID && this.#ids.at(-1) !== clusterID) this.#ids.push(clusterID);
    for (const { type, status: state, reason, message } of conditions) {
      if (state === "True") this.#told.add(`${type} ${reason}: ${message}`);
    }
  }
}
