import { join } from "node:path";
import type { KubeClient } from "@etcd-operator/kubernetes-client";
import { resources } from "@etcd-operator/kubernetes-client";
import type { LocalConfig } from "../config.ts";
import { providerIdOf } from "../kubelet/node/node-object.ts";
import type { Command } from "../processes/guarded-process.ts";
import { followSwitches, nodesThatAreOn } from "./node-switch.ts";
import type { PartCommand } from "./run-local-mode.ts";
import { type SupervisedProcess, supervise } from "./supervised-process.ts";

interface NodesToStart {
  readonly config: LocalConfig;
  readonly configFile: string;
  readonly partCommand: PartCommand;
  readonly log: (line: string) => void;
  readonly signal: AbortSignal;
}

/** Starts the kubelets of all nodes that are switched on, and follows the switches from then on. */
export function startNodes({
  config,
  configFile,
  partCommand,
  log,
  signal,
}: NodesToStart): readonly SupervisedProcess[] {
  const { stateDir, nodes } = config;
  const machines = nodes.map(({ nodeName }) => {
    const [file, ...args] = partCommand("kubelet", configFile, nodeName);
    const name = nodeName.replace(/^local/, "kubelet");
    return new Machine(nodeName, { name, file, args, log: join(stateDir, "logs", `${name}.log`) }, log);
  });
  let change = Promise.resolve();
  const apply = async () => {
    if (signal.aborted) return;
    const on = await nodesThatAreOn(config);
    await Promise.all(machines.map((machine) => machine.switchTo(on.includes(machine.nodeName))));
  };
  const follow = () => {
    change = change.then(apply).catch((error: unknown) => log(`switching nodes: ${String(error)}`));
  };
  followSwitches(stateDir, follow, signal).catch((error: unknown) => log(`switching nodes: ${String(error)}`));
  return machines;
}

/** Removes nodes of an earlier run with more of them, as a cloud does with nodes whose machine no longer exists. */
export async function removeFormerNodes(
  client: KubeClient,
  { nodes }: LocalConfig,
  signal: AbortSignal,
): Promise<void> {
  const { items } = await client.list(resources.nodes, { signal });
  const former = items.filter(
    ({ metadata, spec }) =>
      spec?.providerID === providerIdOf(metadata.name) && !nodes.some(({ nodeName }) => nodeName === metadata.name),
  );
  await Promise.all(former.map(({ metadata }) => client.delete(resources.nodes, metadata, { signal })));
}

/** A kubelet that comes back whenever it ends, while its machine is on. */
class Machine implements SupervisedProcess {
  readonly name: string;
  readonly nodeName: string;
  readonly #command: Command;
  readonly #log: (line: string) => void;
  #running: SupervisedProcess | undefined;
  #wasOff = false;
  #isOver = false;

  constructor(nodeName: string, command: Command, log: (line: string) => void) {
    this.nodeName = nodeName;
    this.name = command.name;
    this.#command = command;
    this.#log = log;
  }

  get pid(): number | undefined {
    return this.#running?.pid;
  }

  async switchTo(isOn: boolean): Promise<void> {
    if (this.#isOver || isOn === (this.#running !== undefined)) return;
    if (this.#wasOff || !isOn) this.#log(`node ${this.nodeName} is switched ${isOn ? "on" : "off"}`);
    this.#wasOff = !isOn;
    if (isOn) this.#running = supervise(this.#command, this.#log);
    else await this.kill();
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#running?.stop();
    this.#running = undefined;
  }

  async kill(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    await running?.kill();
  }
}
