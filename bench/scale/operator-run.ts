import { readFile } from "node:fs/promises";
import { freePorts } from "@etcd-operator/local-kubernetes";
import type { GuardedProcess } from "@etcd-operator/local-kubernetes/processes/guarded-process.ts";
import { NODE_FLAGS } from "@etcd-operator/operator/process/node-flags.ts";
import type { Workspace } from "@etcd-operator/testing/kube/control-plane/workspace.ts";
import { OPERATOR_PROGRAM } from "../operator-program.ts";
import { cpuSeconds, residentMib } from "../process-usage.ts";
import { NAMESPACE } from "./fleet-names.ts";
import { type Buckets, bucketsIn } from "./percentiles.ts";

export interface OperatorGiven {
  readonly workspace: Workspace;
  readonly kubeconfig: string;
}

/** The operator as it was built, as a process of its own, from its start to its end. */
export class OperatorRun {
  readonly startedAtMs: number;
  readonly #process: GuardedProcess;
  readonly #url: string;

  static async start(given: OperatorGiven): Promise<OperatorRun> {
    const [port = 0] = await freePorts(1);
    return new OperatorRun(given, port);
  }

  private constructor({ workspace, kubeconfig }: OperatorGiven, port: number) {
    this.#url = `http://127.0.0.1:${port}`;
    this.startedAtMs = Date.now();
    const flags = [`--kubeconfig=${kubeconfig}`, `--namespace=${NAMESPACE}`, `--listen-addr=127.0.0.1:${port}`];
    const args = [...NODE_FLAGS, ...OPERATOR_PROGRAM, ...flags];
    this.#process = workspace.run("operator", process.execPath, args);
  }

  /** Rejects when it ends of itself. */
  get diedEarly(): Promise<never> {
    return this.#process.diedEarly;
  }

  async stop(): Promise<void> {
    await this.#process.stop();
  }

  cpuSeconds(): Promise<number> {
    return cpuSeconds(this.#process.pid);
  }

  residentMib(): Promise<number> {
    return residentMib(this.#process.pid);
  }

  /** The most that it ever had. */
  async mostResidentMib(): Promise<number> {
    const status = await readFile(`/proc/${this.#process.pid}/status`, "utf8");
    return Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1]) / 1024;
  }

  /** How long clusters waited in its queue since it began; costs it some work, more with many clusters. */
  async queueWaits(): Promise<Buckets> {
    return bucketsIn(await this.metrics(), "etcd_operator_queue_wait_seconds", 'controller="clusters"');
  }

  async metrics(): Promise<string> {
    return (await fetch(`${this.#url}/metrics`)).text();
  }
}
