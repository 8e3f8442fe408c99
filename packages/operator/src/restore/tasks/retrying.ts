import { Backoff, type Clock, messageOf, pause } from "@etcd-operator/kubernetes-client";
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
  /** The first pause; each is twice as long as the one before, up to 30 s. */
  readonly firstMs: number;
  /** For so long what somebody has to mend is tried again, too; not at all when absent. */
  readonly forSomebodyMs?: number;
}

const USUAL: Patience = { attempts: 5, firstMs: 2_000 };
const LONGEST_PAUSE_MS = 30_000;

/**
 * Of a restore that the operator made by itself: nobody is there to make another one, and the outage that takes a majority often takes the way to the
 * store for minutes. It ends when its result is not wanted any more. Credentials may be on their way; for ten minutes they are waited for.
 */
export const UNTIL_NOT_NEEDED: Patience = {
  attempts: Number.POSITIVE_INFINITY,
  firstMs: 2_000,
  forSomebodyMs: 600_000,
};

/** Does something again that failed for a reason which may pass by itself; as often as patience says, and with growing pauses. */
export async function retrying<Result>(work: () => Promise<Result>, options: Retrying): Promise<Result> {
  const { clock, random, signal, onTrouble, patience = USUAL, mayPass = () => true } = options;
  const { attempts, firstMs, forSomebodyMs = 0 } = patience;
  const backoff = new Backoff({ firstMs, lastMs: LONGEST_PAUSE_MS, random });
  const startedMs = clock.monotonic();
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const isForSomebody = needsSomebody(error) && clock.monotonic() - startedMs >= forSomebodyMs;
      if (signal.aborted || attempt === attempts || isForSomebody || !mayPass(error)) throw error;
      const why = messageOf(error);
      const count = Number.isFinite(attempts) ? `Attempt ${attempt} of ${attempts}` : `Attempt ${attempt}`;
      onTrouble(`${count} failed, and it is tried again: ${why}`);
      await pause(clock, backoff.nextMs(), signal);
      signal.throwIfAborted();
    }
  }
}
