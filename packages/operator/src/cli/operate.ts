import { OperatorError } from "../process/operator-error.ts";
import { type OperatorFlags, operatorHelp, type ProgramName, parseOperatorFlags } from "../process/operator-flags.ts";
import { VERSION } from "../process/version.ts";

/** The exit code where the command line is wrong. */
export const MISUSE = 2;

/** Runs the operator until it gets a signal to stop, and ends the process with its exit code. */
export async function operate(
  program: ProgramName,
  args: readonly string[],
  commands: readonly string[],
  stop: AbortSignal,
): Promise<void> {
  const flags = flagsOf(program, args);
  if (!flags) return;
  if (flags.help) {
    process.stdout.write(helpText(program, commands));
    return;
  }
  if (flags.version) {
    process.stdout.write(`${VERSION}\n`);
    return;
  }
  // Loaded only now: `--help` and `--version` should not wait for all of it.
  const [{ controllersOf }, { runOperatorProcess }] = await Promise.all([
    import("../process/controllers.ts"),
    import("../process/operator-process.ts"),
  ]);
  process.exit(
    await runOperatorProcess({ program, flags, controllers: (image) => controllersOf(program, flags, image) }, stop),
  );
}

/** Flags, commands and exit codes. */
export function helpText(program: ProgramName, commands: readonly string[]): string {
  const lines = commands.map((line) => `  ${line}\n`).join("");
  return `${operatorHelp(program)}\nCommands:\n${lines}\n${EXIT_CODES}`;
}

const EXIT_CODES = `Exit codes: 0 after SIGTERM or Ctrl-C, 1 if the operator cannot start or continue, ${MISUSE} for a wrong command line.
`;

function flagsOf(program: ProgramName, args: readonly string[]): OperatorFlags | undefined {
  try {
    return parseOperatorFlags(program, args, process.env);
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = MISUSE;
    return undefined;
  }
}
