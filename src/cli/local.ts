import { Command, InvalidArgumentError } from "commander";
import { LocalModeError } from "../local/supervisor/local-mode-error.ts";
import { MOST_NODES } from "../local/supervisor/node-places.ts";
import { turnOff, turnOn } from "../local/supervisor/node-switch.ts";
import { PARTS, type PartName } from "../local/supervisor/run-local-mode.ts";
import { runPart } from "./local-part.ts";
import { OPERATOR_CHOICES, type OperatorChoice, up } from "./local-up.ts";

const program = new Command("local").description("A Kubernetes on this machine, for trying, developing and testing.");

program
  .command("up", { isDefault: true })
  .description("Run it in the foreground until Ctrl-C.")
  .option("--state <folder>", "where everything is kept", ".local")
  .option("--port <number>", "port of the API server on 127.0.0.1", port, 6443)
  .option(
    "--operator <true|false|none>",
    "whether the operator runs beside it; none leaves out its CRDs too",
    operatorChoice,
    "true",
  )
  .option("--nodes <number>", "how many nodes", nodeCount, 1)
  .option("--node-grace <seconds>", "how long a node may be silent before its pods are given up", seconds, 50)
  .action(up);

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
    .action((name: string, { state }: { state: string }) => switchNode(action, state, name));
}

program
  .command("part", { hidden: true })
  .argument("<name>", PARTS.join(", "), partName)
  .argument("<config>", "the file that tells it of the others")
  .argument("[node]", "which node a kubelet is; the first unless said otherwise")
  .action(runPart);

await program.parseAsync();

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

async function switchNode(action: typeof turnOff, state: string, name: string): Promise<void> {
  await action(state, name).catch((error: unknown) => {
    if (!(error instanceof LocalModeError)) throw error;
    program.error(error.message);
  });
}

function operatorChoice(text: string): OperatorChoice {
  const choice = OPERATOR_CHOICES.find((known) => known === text);
  if (!choice) throw new InvalidArgumentError("Write true, false or none.");
  return choice;
}

function partName(text: string): PartName {
  const name = PARTS.find((known) => known === text);
  if (!name) throw new InvalidArgumentError(`Write one of ${PARTS.join(", ")}.`);
  return name;
}
