import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { BinariesError } from "./binaries-error.ts";

export interface LockOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called when the lock is not to be had at once. */
  readonly onWait?: () => void;
  /**
   * A command that runs when the work has ended, still under the lock, however this process came to its end. It is
   * given one more argument: `DONE`, or nothing where this process was killed.
   */
  readonly afterwards?: readonly string[];
}

export const DONE = "done";

/**
 * Does the work while holding an exclusive lock on a file, across processes.
 *
 * The kernel owns the lock (flock), held by a child that lives as long as the pipe to this process: however this
 * process ends, the pipe closes, the child exits, and the lock is free. So there is no stale lock to detect.
 */
export async function withFileLock<T>(path: string, options: LockOptions, work: () => Promise<T>): Promise<T> {
  // In a process group of its own, for Ctrl-C in a terminal must not free the lock before the work has stopped.
  const script = 'echo held; said=$(cat); [ $# = 0 ] || exec "$@" "$said"';
  const command = ["sh", "-c", script, "sh", ...(options.afterwards ?? [])];
  const holder = spawn("flock", ["-x", path, ...command], {
    stdio: ["pipe", "pipe", "ignore"],
    detached: true,
  });
  const ended = new Promise<void>((resolve) => holder.once("close", () => resolve()));
  try {
    await untilHeld(holder, path, options);
    return await work();
  } finally {
    holder.stdin.end(DONE);
    await ended;
  }
}

type Holder = ChildProcessByStdio<Writable, Readable, null>;

const patienceMs = 1_000;

async function untilHeld(holder: Holder, path: string, { signal, onWait }: LockOptions): Promise<void> {
  const abort = () => killGroup(holder);
  signal?.addEventListener("abort", abort, { once: true });
  if (signal?.aborted) abort();
  const impatience = setTimeout(() => onWait?.(), patienceMs);
  try {
    await new Promise<void>((resolve, reject) => {
      holder.stdout.once("data", () => resolve());
      holder.once("error", (cause) => reject(lockError("missing-tool", path, "needs the flock program", cause)));
      holder.once("close", () =>
        reject(signal?.aborted ? lockError("aborted", path, "was told to stop") : lockError("command-failed", path)),
      );
    });
  } finally {
    clearTimeout(impatience);
    signal?.removeEventListener("abort", abort);
  }
}

// A signal to flock alone would leave the command that it has started.
function killGroup(holder: Holder): void {
  if (holder.pid !== undefined) process.kill(-holder.pid, "SIGKILL");
}

function lockError(
  code: "missing-tool" | "aborted" | "command-failed",
  path: string,
  why = "flock gave up",
  cause?: unknown,
): BinariesError {
  return new BinariesError(code, `lock ${path}`, `Could not lock ${path}: ${why}`, { cause });
}
