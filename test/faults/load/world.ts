import { readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import type { KubeClient } from "@etcd-operator/kubernetes-client";
import { childRunning } from "@etcd-operator/testing/local/child-processes.ts";
import type { LocalModeUnderTest } from "@etcd-operator/testing/local/local-mode.ts";
import { type NetworkFaults, networkFaults } from "@etcd-operator/testing/local/network-faults.ts";
import { OperatorProcess } from "@etcd-operator/testing/scenario/operator/operator-process.ts";
import { type LocalWorld, startLocalWorld } from "../local-world/local-world.ts";
import type { Outage } from "./nemesis/step.ts";

const OPERATOR_NAMESPACE = "default";
const LOG_LINES = 5;

/**
 * One local mode with a cluster-wide operator, for clusters of several plans beside each other, which share its
 * outages.
 */
export class LoadWorld {
  readonly local: LocalModeUnderTest;
  readonly client: KubeClient;
  readonly faults: NetworkFaults;
  readonly loops: LocalWorld["loops"];
  readonly operator: OperatorProcess;
  /** Why it ended, whenever it was not killed or frozen. */
  readonly crashes: string[] = [];
  readonly #stop: () => Promise<void>;
  /** One outage of the operator at a time. */
  #turn: Promise<unknown> = Promise.resolve();
  #isMeant = false;

  static async start(): Promise<LoadWorld> {
    const world = await startLocalWorld("load");
    try {
      const options = { isClusterWide: true, namespace: OPERATOR_NAMESPACE };
      return new LoadWorld(world, await OperatorProcess.start(world.local, options));
    } catch (error) {
      await world.stop();
      throw error;
    }
  }

  private constructor({ local, client, loops, stop }: LocalWorld, operator: OperatorProcess) {
    this.local = local;
    this.client = client;
    this.loops = loops;
    this.operator = operator;
    this.faults = networkFaults(local.config);
    this.#stop = stop;
    this.#watchOver();
  }

  async suffer(outage: Outage, signal: AbortSignal): Promise<void> {
    switch (outage.do) {
      case "kill-api-server":
        return this.#killApiServer();
      case "kill-operator":
        return this.#inTurn(() => this.#killOperator());
      case "freeze-operator":
        return this.#inTurn(() => this.#freezeOperator(outage.forMs, signal));
    }
  }

  async stop(): Promise<void> {
    await this.#turn;
    this.#isMeant = true;
    await this.operator.stop();
    await this.#stop();
  }

  #inTurn(act: () => Promise<void>): Promise<void> {
    const done = this.#turn.then(act);
    this.#turn = done.catch(() => undefined);
    return done;
  }

  async #killOperator(): Promise<void> {
    this.#isMeant = true;
    await this.operator.kill();
    await this.#startOperator();
  }

  /**
   * It may end by itself when it wakes up and finds that its Lease has run out; as a Deployment would, it is started
   * again.
   */
  async #freezeOperator(forMs: number, signal: AbortSignal): Promise<void> {
    this.#isMeant = true;
    this.operator.freeze();
    await pause(forMs, undefined, { signal }).catch(() => undefined);
    this.operator.thaw();
    await Promise.race([this.operator.ended, pause(5_000)]);
    await this.operator.revive();
    this.#isMeant = false;
    this.#watchOver();
  }

  async #startOperator(): Promise<void> {
    await this.operator.start();
    this.#isMeant = false;
    this.#watchOver();
  }

  #watchOver(): void {
    const { operator } = this;
    void operator.ended.then(async (how) => {
      if (this.#isMeant) return;
      const end = (await readFile(operator.log, "utf8")).trimEnd().split("\n").slice(-LOG_LINES).join("\n");
      // It ends by itself when it could not hold its Lease, and has to.
      if (!end.includes("two active leaders")) this.crashes.push(`the operator ended by itself (${how}): ${end}`);
      await this.#inTurn(() => this.#startOperator());
    });
  }

  /** Local mode starts it again. */
  async #killApiServer(): Promise<void> {
    const pid = await childRunning(this.local.pid, "apiserver");
    if (pid === undefined) throw new Error("no API server runs");
    process.kill(pid, "SIGKILL");
  }
}
