import { Argument, Command, type CommanderError, Option } from "commander";
import type { ProgramName } from "../process/operator-flags.ts";
import { VERSION } from "../process/version.ts";
import { completionScript, SHELLS, type Shell } from "./completion.ts";
import { helpText, MISUSE, operate } from "./operate.ts";
import type { StopRequest } from "./stop-signal.ts";

/** Runs one of the three programs; they share everything but the controllers that they start. */
export async function runProgram(name: ProgramName, args: readonly string[], stop: StopRequest): Promise<void> {
  // A reader such as head may close the pipe before everything is written; that is not our failure.
  process.stdout.once("error", () => process.exit());
  const program = withCommands(name);
  const [first = ""] = args;
  // The operator's own flags keep the form of coreos/etcd-operator, with one dash or two, so they are parsed
  // separately.
  if (first === "" || first.startsWith("-")) return operate(name, args, commandLines(program), stop.signal);
  stop.release();
  if (commandOf(program, first)) await program.parseAsync(args, { from: "user" });
  else refuseCommand(program, first);
}

function withCommands(name: ProgramName): Command {
  const program = new Command(name).helpCommand(false).exitOverride(exitAsMisuse);
  program
    .command("crds")
    .description("Print the CustomResourceDefinitions as YAML.")
    .action(async () => (await import("./crds.ts")).printCrds());
  program
    .command("validate")
    .description("Check EtcdCluster, EtcdBackup and EtcdRestore objects in files or folders, without a cluster.")
    .argument("<paths...>", "YAML or JSON files, folders (recursively), or '-' for standard input")
    .addOption(
      new Option("-o, --output <format>", "one line per finding, or all as JSON")
        .choices(["text", "json"])
        .default("text"),
    )
    .addHelpText("after", VALIDATE_EXIT_CODES)
    .action(async (paths: string[], options: { output: "text" | "json" }) =>
      (await import("./validate.ts")).validateFiles(paths, options),
    );
  program
    .command("completion")
    .description("Print a script for shell completion of commands and flags.")
    .addArgument(new Argument("<shell>").choices(SHELLS))
    .addHelpText("after", `\nFor this terminal: source <(${name} completion bash)`)
    .action((shell: Shell) => {
      process.stdout.write(
        completionScript(
          shell,
          name,
          program.commands.map((command) => command.name()),
        ),
      );
    });
  program
    .command("version")
    .description("Print the version.")
    .action(() => {
      process.stdout.write(`${VERSION}\n`);
    });
  program
    .command("help")
    .description("Print the flags and commands, or the help of one command.")
    .argument("[command]")
    .action((command?: string) => printHelp(program, command));
  return program;
}

const VALIDATE_EXIT_CODES = `
Exit codes:
  0  every object is valid
  1  an object is not valid, or a file has no object of this operator
  2  a path cannot be read, or the command line is wrong`;

function printHelp(program: Command, asked: string | undefined): void {
  if (asked === undefined) {
    process.stdout.write(helpText(program.name() as ProgramName, commandLines(program)));
    return;
  }
  const command = commandOf(program, asked);
  if (command) command.outputHelp();
  else refuseCommand(program, asked);
}

function commandOf(program: Command, name: string): Command | undefined {
  return program.commands.find((command) => command.name() === name);
}

function commandLines(program: Command): readonly string[] {
  return program.commands.map((command) => `${command.name().padEnd(10)}  ${command.description()}`);
}

function refuseCommand(program: Command, name: string): void {
  const known = program.commands.map((command) => command.name()).join(", ");
  const start = `to start the operator, write flags only, see '${program.name()} --help'`;
  process.stderr.write(`${program.name()}: unknown command '${name}': use one of ${known}; ${start}\n`);
  process.exitCode = MISUSE;
}

/** commander has printed what is wrong; help is no failure. */
function exitAsMisuse(error: CommanderError): never {
  process.exit(error.exitCode === 0 ? 0 : MISUSE);
}
