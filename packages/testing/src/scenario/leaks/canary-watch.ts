import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Resource } from "@etcd-operator/kubernetes-client";
import { resources } from "@etcd-operator/kubernetes-client";
import { ownResources } from "@etcd-operator/operator/objects/own-resources.ts";
import type { ClusterScenario } from "../cluster-scenario.ts";
import type { OperatorProcess } from "../operator/operator-process.ts";
import { canariesIn } from "./canaries.ts";

const { secrets: _, ...others } = resources;
const shown = { ...others, ...ownResources };
const PACE_MS = 100;

/**
 * Searches for the contents of Secrets wherever people and programs read: objects, Events, logs, metrics, arguments.
 */
export class CanaryWatch {
  /** The test that planted each. */
  readonly canaries = new Map<string, string>();
  readonly #scenario: ClusterScenario;
  readonly #operator: OperatorProcess;
  readonly #found = new Set<string>();
  readonly #seen = new Set<string>();
  #isOver = false;
  #work: Promise<void> | undefined;

  static start(scenario: ClusterScenario, operator: OperatorProcess): CanaryWatch {
    const watch = new CanaryWatch(scenario, operator);
    watch.#work = watch.#keepOn();
    // A test that failed does not end it: then it ends when there is nothing left to read.
    watch.#work.catch(() => undefined);
    return watch;
  }

  private constructor(scenario: ClusterScenario, operator: OperatorProcess) {
    this.#scenario = scenario;
    this.#operator = operator;
  }

  /** In which kinds of places it has looked, so that a watch that sees nothing does not pass. */
  get places(): ReadonlySet<string> {
    return this.#seen;
  }

  /** Throws when any was found. */
  async end(): Promise<void> {
    this.#isOver = true;
    await this.#work;
    await this.#look();
    if (this.#found.size > 0) throw new Error([...this.#found].join("\n"));
  }

  async #keepOn(): Promise<void> {
    while (!this.#isOver) {
      await this.#look();
      await pause(PACE_MS);
    }
  }

  async #look(): Promise<void> {
    const { items } = await this.#scenario.client.list(resources.secrets);
    for (const secret of items) {
      for (const canary of canariesIn(secret)) this.canaries.set(canary, secret.metadata.name);
    }
    const metrics = fetch(`${this.#operator.url}/metrics`).then(async (answer) => answer.text());
    await Promise.all([this.#lookAtObjects(), this.#lookAtLogs(), this.#lookAtArguments()]);
    this.#search("metrics", "metrics", await metrics);
  }

  async #lookAtObjects(): Promise<void> {
    await Promise.all(
      (Object.values(shown) as readonly Resource[]).map(async (resource) => {
        const { items } = await this.#scenario.client.list(resource).catch(() => ({ items: [] }));
        for (const object of items) {
          this.#search(resource.kind, `${resource.kind} ${object.metadata.name}`, JSON.stringify(object));
        }
      }),
    );
  }

  /** Of the operator, of local mode, and of all containers that are, or were a moment ago. */
  async #lookAtLogs(): Promise<void> {
    const { stateDir } = this.#scenario.local;
    const folders = ["logs", ...(await listed(join(stateDir, "pods"))).map((pod) => `pods/${pod}/logs`)];
    for (const folder of folders) {
      for (const file of await listed(join(stateDir, folder))) {
        const text = await readFile(join(stateDir, folder, file), "utf8").catch(() => "");
        const kind = folder === "logs" ? `log ${file}` : `log of ${file.split("/")[0]}`;
        this.#search(kind, `${folder}/${file}`, text);
      }
    }
  }

  async #lookAtArguments(): Promise<void> {
    const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
    await Promise.all(
      pids.map(async (pid) => {
        const text = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
        const [program = ""] = text.split("\0");
        this.#search(`arguments of ${program.split("/").at(-1)}`, `arguments of ${text.slice(0, 80)}`, text);
      }),
    );
  }

  #search(kind: string, place: string, text: string): void {
    if (text) this.#seen.add(kind);
    for (const [canary, secret] of this.canaries) {
      if (text.includes(canary)) this.#found.add(`a value of Secret ${secret} is in ${place}`);
    }
  }
}

async function listed(folder: string): Promise<readonly string[]> {
  return readdir(folder, { recursive: true }).catch(() => []);
}
