import { onAbort } from "../requests/on-abort.ts";

/** Time, as far as decisions depend on it. */
export interface Clock {
  /** Milliseconds since 1970, for what others read. */
  now(): number;
  /** Milliseconds that only ever grow, for measuring how long something took. */
  monotonic(): number;
  /** Runs something later, and returns what calls it off. */
  after(ms: number, run: () => void): () => void;
}

/** Told to wait for longer, a timer does not wait at all: callers with longer waits check again after it. */
const LONGEST_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, Math.min(ms, LONGEST_MS));
    return () => clearTimeout(timer);
  },
};

/** Waits, or returns at once when `signal` aborts: the caller looks at the signal anyway. */
export async function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const undo: (() => void)[] = [];
  await new Promise<void>((resolve) => {
    undo.push(clock.after(ms, resolve), onAbort(signal, resolve));
  });
  for (const each of undo) each();
}
