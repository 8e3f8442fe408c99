import { execFile } from "node:child_process";
import { tiedToUs } from "../processes/guarded-process.ts";
import { NetworkError } from "./network-error.ts";

export interface IpOptions {
  /** What is being done, in words that fit "Could not …". */
  readonly operation: string;
  /** A process whose network namespace is meant instead of the machine's. */
  readonly insideOf?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Runs `ip` commands in order, in one process; the first that fails ends them. */
export async function changeLinks(commands: readonly string[], options: IpOptions): Promise<void> {
  // Tied to us: what it makes must not appear after we have been killed, and been cleaned up after.
  if (commands.length > 0) await run(["-batch", "-"], options, `${commands.join("\n")}\n`, tiedToUs);
}

/** Runs as many of the commands as succeed: for clearing away what others may be clearing away too. */
export async function tryToChangeLinks(commands: readonly string[], options: IpOptions): Promise<void> {
  for (const command of commands) {
    await changeLinks([command], options).catch((error: unknown) => {
      if (error instanceof NetworkError && error.code === "command-failed") return;
      throw error;
    });
  }
}

/** What `ip -json` prints about the network. */
export async function askLinks<Answer>(args: readonly string[], options: IpOptions): Promise<Answer[]> {
  const printed = await run(["-json", ...args], options);
  // It prints nothing at all, not an empty list, where a table is empty.
  return printed.trim() === "" ? [] : (JSON.parse(printed) as Answer[]);
}

function run(
  args: readonly string[],
  { operation, insideOf, signal }: IpOptions,
  input?: string,
  wrapped = (file: string, all: readonly string[]): [string, string[]] => [file, [...all]],
): Promise<string> {
  const file = insideOf === undefined ? "ip" : "nsenter";
  const all = insideOf === undefined ? args : [`--net=/proc/${insideOf}/ns/net`, "ip", ...args];
  return new Promise((resolve, reject) => {
    const child = execFile(...wrapped(file, all), { signal, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      if (error) reject(failure(error, file, operation, `${input ?? args.join(" ")}\n${stderr}`.trim()));
      else resolve(stdout);
    });
    // It may end, with an error, before it has read everything.
    child.stdin?.on("error", () => undefined).end(input);
  });
}

function failure(error: Error & { code?: unknown }, file: string, operation: string, said: string): NetworkError {
  if (error.code === "ENOENT") {
    const remedy = "install iproute2 and util-linux";
    return new NetworkError("missing-tool", operation, `Could not ${operation}: no ${file} on the PATH; ${remedy}`, {
      cause: error,
    });
  }
  if (/not permitted|permission denied/i.test(said)) {
    const remedy = "this needs root and network namespaces: run with sudo, or as root in a privileged container";
    return new NetworkError("not-permitted", operation, `Could not ${operation}: ${remedy}\n${said}`, { cause: error });
  }
  return new NetworkError("command-failed", operation, `Could not ${operation}: ip failed\n${said}`, { cause: error });
}
