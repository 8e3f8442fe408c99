import type { IncomingMessage } from "node:http";
import type { ClusterScenario } from "../cluster-scenario.ts";
import { type ApiProxy, startApiProxy } from "./api-proxy.ts";
import type { OperatorProcess } from "./operator-process.ts";
import { stepOf } from "./written-step.ts";

/** How often an operator dies at one step. Some take several writes in one life, so this has an end. */
const DEATHS_A_STEP = 3;
/** The contents of a status distinguish its steps by themselves. */
const DEATHS_A_STATUS = 1;

/**
 * An operator that is killed whenever it has written something to the API server, before it learns what came of it; and
 * is started again each time, until it has died often enough of the same kind of write.
 */
export class OperatorUnderFire {
  readonly deaths = new Map<string, number>();
  readonly #scenario: ClusterScenario;
  #proxy: ApiProxy | undefined;
  #operator: OperatorProcess | undefined;
  #isUnderFire = false;
  #reviving: Promise<void> = Promise.resolve();

  /** With an environment of its own it is not killed over writes, but only where the test says. */
  static async start(scenario: ClusterScenario, env?: Readonly<Record<string, string>>): Promise<OperatorUnderFire> {
    const fired = new OperatorUnderFire(scenario);
    if (env) fired.#operator = await scenario.startOperator({ env });
    else await fired.#start();
    return fired;
  }

  private constructor(scenario: ClusterScenario) {
    this.#scenario = scenario;
  }

  get count(): number {
    return [...this.deaths.values()].reduce((sum, times) => sum + times, 0);
  }

  /** What it died of, and how often. */
  describe(): string {
    return [...this.deaths].map(([step, times]) => `    ${times}x ${step}`).join("\n");
  }

  open(): void {
    this.deaths.clear();
    this.#isUnderFire = true;
  }

  /** Returns when an operator runs that is not killed any more. */
  async cease(): Promise<void> {
    this.#isUnderFire = false;
    await this.#reviving;
  }

  async stop(): Promise<void> {
    await this.cease();
    await this.#operator?.stop();
    await this.#proxy?.close();
  }

  async #start(): Promise<void> {
    this.#proxy = await startApiProxy(this.#scenario.local, {
      name: "under-fire",
      onQuestion: () => undefined,
      beforeAnswer: (question, body) => this.#reached(question, body),
    });
    this.#operator = await this.#scenario.startOperator({ kubeconfig: this.#proxy.kubeconfig });
  }

  async #reached(question: IncomingMessage, body: string): Promise<void> {
    const step = stepOf(question, body);
    if (step === undefined) return;
    const hasDied = await this.dies(step, step.includes("/status") ? DEATHS_A_STATUS : DEATHS_A_STEP);
    if (hasDied) throw new Error("the operator has died");
  }

  /** Kills it at a step, unless it has died there often enough; whether it did. */
  async dies(step: string, atMost: number): Promise<boolean> {
    const times = this.deaths.get(step) ?? 0;
    if (!this.#isUnderFire || times >= atMost) return false;
    this.deaths.set(step, times + 1);
    await this.#operator?.kill();
    this.#reviving = this.#reviving.then(() => this.#revive());
    return true;
  }

  /** It may die again before it is ready; then the kill that did it starts the next. */
  async #revive(): Promise<void> {
    await this.#operator?.revive().catch(() => undefined);
  }
}
