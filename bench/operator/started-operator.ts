import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { freePorts } from "@etcd-operator/local-kubernetes";
import { type GuardedProcess, startGuarded } from "@etcd-operator/local-kubernetes/processes/guarded-process.ts";
import { operatorAccount } from "@etcd-operator/local-mode/operator-account.ts";
import { NODE_FLAGS } from "@etcd-operator/operator/process/node-flags.ts";
import type { LocalModeUnderTest } from "@etcd-operator/testing/local/local-mode.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { OPERATOR_PROGRAM } from "../operator-program.ts";
import { residentMib } from "../process-usage.ts";
import { watchingSince } from "./watching-since.ts";

export interface OperatorGiven {
  /** A local mode without an operator of its own. */
  readonly local: LocalModeUnderTest;
  /** Another way to the API server than that of local mode's own operator. */
  readonly kubeconfig?: string | undefined;
}

const PATIENCE_MS = 60_000;
const LOOK_MS = 10;
let count = 0;

/** The operator as it was built, as a process of the benchmark's own: to be started, watched and stopped. */
export class StartedOperator {
  readonly #process: GuardedProcess;
  readonly #log: string;
  readonly #startedAtMs: number;
  /** Where it tells of itself. */
  readonly #url: string;

  static async start(given: OperatorGiven): Promise<StartedOperator> {
    const [[port = 0], kubeconfig] = [
      await freePorts(1),
      given.kubeconfig ?? (await operatorAccount(given.local.config)),
    ];
    return new StartedOperator(given, kubeconfig, port);
  }

  private constructor({ local }: OperatorGiven, kubeconfig: string, port: number) {
    count += 1;
    this.#log = join(local.stateDir, "logs", `measured-operator-${count}.log`);
    this.#url = `http://127.0.0.1:${port}`;
    const flags = [`--kubeconfig=${kubeconfig}`, "--namespace=default", "--create-crd=false"];
    const listen = `--listen-addr=127.0.0.1:${port}`;
    const args = [...NODE_FLAGS, ...OPERATOR_PROGRAM, ...flags, listen];
    this.#startedAtMs = Date.now();
    this.#process = startGuarded({ name: "the operator", file: process.execPath, args, log: this.#log });
  }

  get pid(): number {
    return this.#process.pid;
  }

  /** Waits until all of its controllers watch; how long that took from the start of the process. */
  async watchingMs(): Promise<number> {
    const since = async () => watchingSince(await readFile(this.#log, "utf8"));
    const what = "the operator to watch";
    const patience = { what, timeoutMs: PATIENCE_MS, everyMs: LOOK_MS, unless: this.#process.diedEarly };
    return (await until(since, patience)) - this.#startedAtMs;
  }

  memoryMib(): Promise<number> {
    return residentMib(this.pid);
  }

  async metrics(): Promise<string> {
    return (await fetch(`${this.#url}/metrics`)).text();
  }

  async stop(): Promise<void> {
    await this.#process.stop();
  }
}
