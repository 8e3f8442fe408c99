import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, existsSync, openSync, readFileSync } from "node:fs";

export interface Command {
  readonly name: string;
  readonly file: string;
  readonly args: readonly string[];
  /** Where its output goes; quoted in the error when it ends too early. */
  readonly log: string;
  readonly env?: NodeJS.ProcessEnv;
}

export interface GuardedProcess {
  readonly name: string;
  readonly pid: number;
  /** Rejects, with the end of its log, when the process ends before `stop` was called; never resolves. */
  readonly diedEarly: Promise<never>;
  /** Resolves, with its exit code or signal, when the process has ended. */
  readonly ended: Promise<string>;
  stop(): Promise<void>;
}

const graceMs = 10_000;
const setpriv = ["/usr/bin/setpriv", "/bin/setpriv"].find((path) => existsSync(path));

/** Starts a process that does not outlive this one, even when this one is killed with SIGKILL. */
export function startGuarded({ name, file, args, log, env = process.env }: Command): GuardedProcess {
  const output = openSync(log, "a");
  // A session of its own: Ctrl-C reaches the one who started it only, who then stops everything in order.
  const child = spawn(...tiedToUs(file, args), { env, stdio: ["ignore", output, output], detached: true });
  closeSync(output);
  let stopping = false;
  const ended = new Promise<string>((resolve) => {
    child.once("exit", (code, signal) => resolve(signal ?? `exit code ${code}`));
    child.once("error", (error) => resolve(error.message));
  });
  const diedEarly = new Promise<never>((_, reject) => {
    void ended.then((how) => stopping || reject(new Error(`${name} ended (${how}):\n${endOfLog(log)}`)));
  });
  diedEarly.catch(() => undefined);
  return {
    name,
    pid: child.pid ?? 0,
    diedEarly,
    ended,
    async stop() {
      stopping = true;
      await terminate(child, ended);
    },
  };
}

/** What to run instead of a program so that it is killed when this process ends, however that happens. */
export function tiedToUs(file: string, args: readonly string[]): [file: string, args: string[]] {
  // The kernel sends the signal when the thread that started the process ends; exec keeps both the setting and the pid.
  return setpriv ? [setpriv, ["--pdeathsig", "KILL", "--", file, ...args]] : [file, [...args]];
}

async function terminate(child: ChildProcess, ended: Promise<string>): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const killer = setTimeout(() => child.kill("SIGKILL"), graceMs);
  child.kill("SIGTERM");
  await ended;
  clearTimeout(killer);
}

function endOfLog(log: string): string {
  return readFileSync(log, "utf8").trimEnd().split("\n").slice(-20).join("\n");
}
