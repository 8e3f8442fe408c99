import { Command, InvalidArgumentError } from "commander";
import { runPart } from "./run-part.ts";
import { LocalModeError } from "./supervisor/local-mode-error.ts";
import { MOST_NODES } from "./supervisor/node-places.ts";
import { turnOff, turnOn } from "./supervisor/node-switch.ts";
import { PARTS, type PartName } from "./supervisor/run-local-mode.ts";

export interface UpFlags {
  readonly state: string;
  readonly port: number;
  readonly nodes: number;
  readonly nodeGrace: number;
}

/** The command line of a Kubernetes on one machine; `up` is added with `addUp`. */
export function localCommand(): Command {
  const program = new Command("local").description("A Kubernetes on this machine, for trying, developing and testing.");
  const node = program.command("node").description("Switch a node off, as if its machine lost power, and on again.");
  for (const [verb, description, action] of [
    ["stop", "End its kubelet and all its pods at once, and keep it down.", turnOff],
    ["start", "Let it return.", turnOn],
  ] as const) {
    node
      .command(verb)
      .description(description)
      .argument("<name>", "as kubectl get nodes shows it")
      .option("--state <folder>", "where everything of this local mode is kept", ".local")
      .action((name: string, { state }: { state: string }) => switchNode(program, action, state, name));
  }
  program
    .command("part", { hidden: true })
    .argument("<name>", PARTS.join(", "), partName)
    .argument("<config>", "the file that tells it of the others")
    .argument("[node]", "which node a kubelet is; the first unless said otherwise")
    .action(runPart);
  return program;
}

/** Adds `up`, which runs it; the caller gives it an action, and options of its own. */
export function addUp(program: Command): Command {
  return program
    .command("up", { isDefault: true })
    .description("Run it in the foreground until Ctrl-C.")
    .option("--state <folder>", "where everything is kept", ".local")
    .option("--port <number>", "port of the API server on 127.0.0.1", port, 6443)
    .option("--nodes <number>", "how many nodes", nodeCount, 1)
    .option("--node-grace <seconds>", "how long a node may be silent before its pods are given up", seconds, 50);
}

function port(text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1 || number > 65_535)
    throw new InvalidArgumentError("Write a number from 1 to 65535.");
  return number;
}

function nodeCount(text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1 || number > MOST_NODES)
    throw new InvalidArgumentError(`Write a number from 1 to ${MOST_NODES}.`);
  return number;
}

function seconds(text: string): number {
  const number = Number(text);
  // A kubelet says every ten seconds that it lives.
  if (!(number >= 15)) throw new InvalidArgumentError("Write a number of seconds, at least 15.");
  return number;
}

async function switchNode(program: Command, action: typeof turnOff, state: string, name: string): Promise<void> {
  await action(state, name).catch((error: unknown) => {
    if (!(error instanceof LocalModeError)) throw error;
    program.error(error.message);
  });
}

function partName(text: string): PartName {
  const name = PARTS.find((known) => known === text);
  if (!name) throw new InvalidArgumentError(`Write one of ${PARTS.join(", ")}.`);
  return name;
}
