import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";

export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandOptions {
  /** What the command reads from its standard input. */
  readonly input?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal;
}

/** Runs a command to its end and returns what it said; throws only when it could not be started. */
export async function runCommand(
  file: string,
  args: readonly string[],
  { input = "", env = process.env, signal }: CommandOptions = {},
): Promise<CommandResult> {
  const child = spawn(file, args, { env, ...(signal && { signal }) });
  const ended = new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve(code ?? -1));
  });
  // A command that ends without reading its input closes the pipe; its exit code says the rest.
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  const [code, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  return { code, stdout, stderr };
}

/** Runs a command that must succeed and returns its output. */
export async function runCommandOrThrow(
  file: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<string> {
  const { code, stdout, stderr } = await runCommand(file, args, options);
  if (code !== 0) throw new Error(`${[file, ...args].join(" ")} ended with exit code ${code}: ${stderr || stdout}`);
  return stdout;
}
