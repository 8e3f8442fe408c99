import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { BinariesError } from "./binaries-error.ts";

/** What every effect here is given: where programs are looked up and configured, and when to stop. */
export interface Surroundings {
  readonly env: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal | undefined;
}

export interface CommandOptions extends Surroundings {
  readonly operation: string;
  readonly cwd?: string;
}

/** Runs a program to its end and gives what it printed; any failure becomes a BinariesError. */
export async function runCommand(
  program: string,
  args: readonly string[],
  { operation, ...options }: CommandOptions,
): Promise<{ stdout: string; stderr: string }> {
  try {
    return await promisify(execFile)(program, args, { maxBuffer: 64 * 1024 * 1024, ...options });
  } catch (error) {
    const stopped = options.signal?.aborted ?? false;
    throw stopped ? stoppedError(error, operation) : commandError(error, program, args, operation);
  }
}

function stoppedError(error: unknown, operation: string): BinariesError {
  return new BinariesError("aborted", operation, `Stopped while trying to ${operation}`, { cause: error });
}

function commandError(error: unknown, program: string, args: readonly string[], operation: string): BinariesError {
  const { code, stderr } = error as { code?: unknown; stderr?: string };
  if (code === "ENOENT") {
    const message = `Could not ${operation}: ${program} is not on the PATH`;
    return new BinariesError("missing-tool", operation, message, { cause: error });
  }
  const said = (stderr ?? "").trim().split("\n").slice(-15).join("\n");
  const message = `Could not ${operation}: ${[program, ...args].join(" ")} failed (${String(code)})\n${said}`.trimEnd();
  return new BinariesError("command-failed", operation, message, { cause: error });
}
