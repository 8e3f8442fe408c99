import { ObjectStoreError } from "./object-store-error.ts";
import { onAbort } from "./on-abort.ts";
import type { StoreTuning } from "./store-settings.ts";

const LONGEST_PAUSE_MS = 10_000;

/** Counts failures of something that may be tried again, and says when it is enough. */
export class Attempts {
  readonly #tuning: StoreTuning;
  readonly #signal: AbortSignal | undefined;
  #failures = 0;

  constructor(tuning: StoreTuning, signal: AbortSignal | undefined) {
    this.#tuning = tuning;
    this.#signal = signal;
  }

  /** It got on: what failed before no longer counts. */
  progressed(): void {
    this.#failures = 0;
  }

  /** Returns when it may be tried again; throws the error when that is pointless, or was tried often enough. */
  async failed(error: unknown): Promise<void> {
    const { attempts = 5, firstRetryMs = 200 } = this.#tuning;
    this.#failures += 1;
    if (!(error instanceof ObjectStoreError) || error.code !== "unavailable") throw error;
    if (this.#failures >= attempts) throw error;
    const wholeMs = Math.min(LONGEST_PAUSE_MS, firstRetryMs * 2 ** (this.#failures - 1));
    // Partly random, so that those who failed together do not come back together.
    await pause(wholeMs * (0.5 + Math.random() / 2), this.#signal);
    if (this.#signal?.aborted) throw calledOff(error.operation);
  }
}

/** Tries until it succeeds, or fails for good. */
export async function attempted<Result>(
  run: () => Promise<Result>,
  tuning: StoreTuning,
  signal: AbortSignal | undefined,
): Promise<Result> {
  const attempts = new Attempts(tuning, signal);
  for (;;) {
    try {
      return await run();
    } catch (error) {
      await attempts.failed(error);
    }
  }
}

export function calledOff(operation: string): ObjectStoreError {
  return new ObjectStoreError("aborted", { operation, message: "was canceled" });
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  const undo: (() => void)[] = [];
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    undo.push(() => clearTimeout(timer), onAbort(signal, resolve));
  });
  for (const each of undo) each();
}
