import { type ChildProcess, spawn } from "node:child_process";
import { exitCodeOf, type Launch, programWords } from "./container-process.ts";
import { killQuietly, onlyChildOf } from "./host-pid.ts";
import { toolAt, toolPath } from "./host-tools.ts";

/** What a further program of a container shares with its main process. */
export type ExecSettings = Pick<Launch, "env" | "identity" | "workingDir">;

/** The command line, seen from the machine, that runs a program inside a running container. */
export function execCommandLine(pid: number, settings: ExecSettings, command: readonly string[]): [string, string[]] {
  const inside = [
    "--mount",
    "--uts",
    "--ipc",
    "--net",
    "--pid",
    "--root",
    `--wd=/proc/${pid}/root${settings.workingDir}`,
  ];
  return [toolAt("nsenter"), ["--target", String(pid), ...inside, "--", ...programWords({ ...settings, command })]];
}

/** Starts a program inside a running container, with pipes for its input and output. */
export function startExec(pid: number, settings: ExecSettings, command: readonly string[]): ChildProcess {
  const [file, args] = execCommandLine(pid, settings, command);
  return spawn(file, args, { stdio: ["pipe", "pipe", "pipe"], env: { PATH: toolPath } });
}

export interface ExecResult {
  readonly exitCode: number;
  readonly output: string;
  readonly isTimedOut: boolean;
}

/** Runs a program inside a running container to its end, or until it takes too long. */
export async function runExec(
  pid: number,
  settings: ExecSettings,
  command: readonly string[],
  timeoutMs: number,
): Promise<ExecResult> {
  const child = startExec(pid, settings, command);
  child.stdin?.on("error", () => undefined);
  child.stdin?.end();
  let [output, isTimedOut] = ["", false];
  const keep = (chunk: Buffer) => {
    output = `${output}${chunk}`.slice(0, 10_000);
  };
  child.stdout?.on("data", keep);
  child.stderr?.on("data", keep);
  const impatience = setTimeout(() => {
    isTimedOut = true;
    // The program itself is nsenter's child, which would live on without it.
    killQuietly(onlyChildOf(child.pid ?? 0) ?? 0, "SIGKILL");
  }, timeoutMs);
  const exitCode = await endOf(child);
  clearTimeout(impatience);
  return { exitCode, output, isTimedOut };
}

export async function endOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve) => {
    child.once("exit", (code, signal) => resolve(exitCodeOf(code, signal)));
    child.once("error", () => resolve(126));
  });
}
