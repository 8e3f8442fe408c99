import { join } from "node:path";
import { freePorts } from "@etcd-operator/local-kubernetes";
import { type GuardedProcess, startGuarded } from "@etcd-operator/local-kubernetes/processes/guarded-process.ts";
import type { LocalModeUnderTest } from "../../local/local-mode.ts";
import { until } from "../../until.ts";
import type { MemoryLimit } from "../faults/memory-limit.ts";

export interface OperatorProcessOptions {
  readonly name?: string;
  readonly isClusterWide?: boolean;
  readonly namespace?: string;
  /** Another way to the API server than the administrator's. */
  readonly kubeconfig?: string;
  readonly guardImage?: string;
  /** Beside those that every operator of a scenario has. */
  readonly flags?: readonly string[];
  /** Beside what it inherits. */
  readonly env?: Readonly<Record<string, string>>;
  readonly memory?: MemoryLimit;
}

let count = 0;

/** The operator as it was built, as a process of the test's own: to be killed, frozen and woken. */
export class OperatorProcess {
  readonly log: string;
  /** Where it serves /metrics and /readyz. */
  readonly url: string;
  readonly #args: readonly string[];
  readonly #env: NodeJS.ProcessEnv;
  readonly #memory: MemoryLimit | undefined;
  #life: GuardedProcess | undefined;
  #hasEnded = false;

  static async start(local: LocalModeUnderTest, options: OperatorProcessOptions = {}): Promise<OperatorProcess> {
    const [port = 0] = await freePorts(1);
    const operator = new OperatorProcess(local, options, port);
    await operator.start();
    return operator;
  }

  private constructor(local: LocalModeUnderTest, options: OperatorProcessOptions, port: number) {
    const { isClusterWide = false, namespace = "default", kubeconfig = local.kubeconfig } = options;
    const { guardImage, flags = [] } = options;
    count += 1;
    this.log = join(local.stateDir, "logs", `${options.name ?? "operator"}-${count}.log`);
    this.url = `http://127.0.0.1:${port}`;
    this.#env = { ...process.env, ...options.env };
    this.#memory = options.memory;
    this.#args = [
      "dist/etcd-operator.mjs",
      `--kubeconfig=${kubeconfig}`,
      `--namespace=${namespace}`,
      `--cluster-wide=${isClusterWide}`,
      "--create-crd=false",
      `--listen-addr=127.0.0.1:${port}`,
      ...(guardImage === undefined ? [] : [`--guard-image=${guardImage}`]),
      ...flags,
    ];
  }

  get pid(): number {
    return this.#running.pid;
  }

  /** How it ended, once it has. */
  get ended(): Promise<string> {
    return this.#running.ended;
  }

  async start(): Promise<void> {
    const command = this.#memory?.command(process.execPath, this.#args) ?? { file: process.execPath, args: this.#args };
    const life = startGuarded({ name: "an operator", ...command, env: this.#env, log: this.log });
    this.#life = life;
    this.#hasEnded = false;
    void life.ended.then(() => {
      this.#hasEnded = this.#life === life;
    });
    const isReady = async () => (await fetch(`${this.url}/readyz`)).ok;
    await until(isReady, { what: "an operator to be ready", unless: life.diedEarly });
  }

  /** As a Deployment would: starts it again if it has ended. */
  async revive(): Promise<void> {
    if (this.#hasEnded) await this.start();
  }

  /** As the kernel would: no time to say goodbye. */
  async kill(): Promise<void> {
    this.#signal("SIGKILL");
    await this.ended;
  }

  freeze(): void {
    this.#signal("SIGSTOP");
  }

  thaw(): void {
    this.#signal("SIGCONT");
  }

  async stop(): Promise<void> {
    await this.#life?.stop();
  }

  #signal(signal: NodeJS.Signals): void {
    // It may have ended by itself, and its id may be another's by now.
    if (!this.#hasEnded) process.kill(this.pid, signal);
  }

  get #running(): GuardedProcess {
    if (!this.#life) throw new Error("the operator has not started");
    return this.#life;
  }
}
