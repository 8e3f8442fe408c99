import { setTimeout as pause } from "node:timers/promises";
import type { Stored } from "@etcd-operator/kubernetes-client";
import type { ClusterUnderTest } from "@etcd-operator/testing/scenario/cluster/cluster-under-test.ts";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { brokenMembership, type MemberSample } from "./broken-membership.ts";

const EVERY_MS = 250;

/**
 * Samples the members of a cluster from its beginning to its end, from any member that answers; a moment may be missed.
 */
export class MembershipWatch {
  readonly #cluster: ClusterUnderTest;
  readonly #broken = new Set<string>();
  #asked: Stored<Pod> | undefined;
  #turn = 0;
  #last: MemberSample | undefined;
  #isOver = false;
  #work: Promise<void> | undefined;

  constructor(cluster: ClusterUnderTest) {
    this.#cluster = cluster;
  }

  /** What must never be and was, each once; or that no sample was taken, as then nothing is shown. */
  get broken(): readonly string[] {
    return this.#last ? [...this.#broken] : ["no member listed the members"];
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
      await this.#look().catch(() => {
        this.#asked = undefined;
      });
      await pause(EVERY_MS);
    }
  }

  async #look(): Promise<void> {
    this.#asked ??= await this.#another();
    if (!this.#asked) return;
    const { clusterId, members } = await this.#cluster.ask(this.#asked, async (client) => ({
      clusterId: (await client.status()).clusterId,
      members: await client.members(),
    }));
    const sample = { atMs: performance.now(), by: this.#asked.metadata.uid, clusterId, members };
    for (const what of brokenMembership(sample, this.#last)) this.#broken.add(what);
    this.#last = sample;
  }

  /** The member that was asked last may be the one that does not answer. */
  async #another(): Promise<Stored<Pod> | undefined> {
    const pods = (await this.#cluster.pods()).filter(({ status }) => status?.podIP !== undefined);
    this.#turn += 1;
    return pods[this.#turn % pods.length];
  }
}
