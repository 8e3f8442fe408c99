import { Command } from "commander";
import type { ProgramName } from "../operator/operator-flags.ts";
import { operate } from "./operate.ts";
import type { StopRequest } from "./stop-signal.ts";

/** Runs one of the three programs; they share everything but the controllers that they start. */
export async function runProgram(name: ProgramName, args: readonly string[], stop: StopRequest): Promise<void> {
  // A reader such as head may leave before we have said everything; that is not our failure.
  process.stdout.once("error", () => process.exit());
  const program = new Command(name);
  program
    .command("crds")
    .description("Print the CustomResourceDefinitions as YAML.")
    .action(async () => (await import("./crds.ts")).printCrds());
  program
    .command("validate")
    .description("Check EtcdCluster, EtcdBackup and EtcdRestore objects in YAML or JSON files ('-' is standard input).")
    .argument("<files...>")
    .action(async (files: string[]) => (await import("./validate.ts")).validateFiles(files));
  // The operator's own flags are those of old, which one dash may begin, so they are read in another way.
  const hasCommand = program.commands.some((command) => command.name() === args[0]);
  if (hasCommand) {
    stop.release();
    await program.parseAsync(args, { from: "user" });
    return;
  }
  const commands = program.commands.map((command) => `${command.name()}: ${command.description()}`);
  await operate(name, args, commands, stop.signal);
}
