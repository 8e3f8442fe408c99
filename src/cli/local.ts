import { Command, InvalidArgumentError } from "commander";
import { PARTS, type PartName } from "../local/supervisor/run-local-mode.ts";
import { runPart } from "./local-part.ts";
import { up } from "./local-up.ts";

const program = new Command("local").description("A Kubernetes on this machine, for trying, developing and testing.");

program
  .command("up", { isDefault: true })
  .description("Run it in the foreground until Ctrl-C.")
  .option("--state <folder>", "where everything is kept", ".local")
  .option("--port <number>", "port of the API server on 127.0.0.1", port, 6443)
  .option("--operator <true|false>", "whether the operator runs beside it", trueOrFalse, true)
  .action(up);

program
  .command("part", { hidden: true })
  .argument("<name>", PARTS.join(", "), partName)
  .argument("<config>", "the file that tells it of the others")
  .action(runPart);

await program.parseAsync();

function port(text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1 || number > 65_535)
    throw new InvalidArgumentError("Write a number from 1 to 65535.");
  return number;
}

function trueOrFalse(text: string): boolean {
  if (text !== "true" && text !== "false") throw new InvalidArgumentError("Write true or false.");
  return text === "true";
}

function partName(text: string): PartName {
  const name = PARTS.find((known) => known === text);
  if (!name) throw new InvalidArgumentError(`Write one of ${PARTS.join(", ")}.`);
  return name;
}
