import { Backoff } from "../../kubernetes/backoff.ts";
import { type Clock, pause } from "../../kubernetes/clock.ts";
import { needsSomebody } from "../../transfer/snapshot/failure.ts";

export interface Retrying {
  readonly clock: Clock;
  readonly random: () => number;
  readonly signal: AbortSignal;
  /** Told of each failure that is not the last. */
  readonly onTrouble: (message: string) => void;
  readonly patience?: Patience;
  /** False for failures that are final; those that somebody has to mend always are. */
  readonly mayPass?: (error: unknown) => boolean;
}

export interface Patience {
  readonly attempts: number;
  /** The first pause; each is twice as long as the one before. */
  readonly firstMs: number;
}

const USUAL: Patience = { attempts: 5, firstMs: 2_000 };
const LONGEST_PAUSE_MS = 30_000;

/** Does something again that failed for a reason which may pass by itself; a few times, and with growing pauses. */
export async function retrying<Result>(work: () => Promise<Result>, options: Retrying): Promise<Result> {
  const { clock, random, signal, onTrouble, patience = USUAL, mayPass = () => true } = options;
  const { attempts, firstMs } = patience;
  const backoff = new Backoff({ firstMs, lastMs: LONGEST_PAUSE_MS, random });
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (signal.aborted || attempt === attempts || needsSomebody(error) || !mayPass(error)) throw error;
      const why = error instanceof Error ? error.message : String(error);
      onTrouble(`Attempt ${attempt} of ${attempts} failed, and it is tried again: ${why}`);
      await pause(clock, backoff.nextMs(), signal);
      signal.throwIfAborted();
    }
  }
}
