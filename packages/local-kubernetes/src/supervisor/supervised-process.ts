import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { type Command, type GuardedProcess, startGuarded } from "../processes/guarded-process.ts";

export interface SupervisedProcess {
  readonly name: string;
  /** The process that runs now; undefined between two lives. */
  readonly pid: number | undefined;
  /** Ends the process for good. */
  stop(): Promise<void>;
  /** The same without giving it a moment, as when its machine loses power. */
  kill(): Promise<void>;
}

/** Keeps a process running: whenever it ends, another takes its place, until it is stopped. */
export function supervise(command: Command, log: (line: string) => void): SupervisedProcess {
  const stopping = new AbortController();
  const lifetimesMs: number[] = [];
  let current: GuardedProcess | undefined;

  async function live(): Promise<void> {
    while (!stopping.signal.aborted) {
      const started = performance.now();
      const life = startGuarded(command);
      current = life;
      await life.ended;
      current = undefined;
      if (stopping.signal.aborted) return;
      lifetimesMs.push(performance.now() - started);
      log(
        `${command.name} ended and is started again; its last words: ${lastWords(readFileSync(command.log, "utf8"))}`,
      );
      await pause(restartDelayMs(lifetimesMs), undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }
  const over = live();

  return {
    name: command.name,
    get pid() {
      return current?.pid;
    },
    async stop() {
      stopping.abort();
      await current?.stop();
      await over;
    },
    async kill() {
      stopping.abort();
      if (current) process.kill(current.pid, "SIGKILL");
      await over;
    },
  };
}

/**
 * How long to wait before a part that ended is started again: at once, then longer and longer while it keeps ending.
 */
export function restartDelayMs(lifetimesMs: readonly number[]): number {
  const shortInARow = lifetimesMs.length - 1 - lifetimesMs.findLastIndex((lifetime) => lifetime >= LONG_MS);
  return shortInARow <= 1 ? 0 : Math.min(FIRST_MS * 2 ** (shortInARow - 2), LONGEST_MS);
}

const LONG_MS = 10_000;
const FIRST_MS = 200;
const LONGEST_MS = 5_000;

const LONGEST = 500;

/** The last thing that a log says; of a line of JSON its message. */
export function lastWords(log: string): string {
  const line = log.trimEnd().split("\n").at(-1) || "none";
  return (messageIn(line) ?? line).slice(0, LONGEST);
}

function messageIn(line: string): string | undefined {
  try {
    const { msg } = JSON.parse(line) as { msg?: unknown };
    return typeof msg === "string" ? msg : undefined;
  } catch {
    return undefined;
  }
}
