import { Backoff, type Clock, messageOf, pause } from "@etcd-operator/kubernetes-client";
import { needsFix } from "../../transfer/snapshot/failure.ts";

export interface Retrying {
  readonly clock: Clock;
  readonly random: () => number;
  readonly signal: AbortSignal;
  /** Called for each failure that is not the last. */
  readonly onTrouble: (message: string) => void;
  readonly patience?: Patience;
  /** False for failures that are final; those that need a fix always are. */
  readonly mayPass?: (error: unknown) => boolean;
}

export interface Patience {
  readonly attempts: number;
  /** The first pause; each is twice as long as the previous one, up to 30 s. */
  readonly firstMs: number;
  /** Failures that need a fix are retried for this long, too; not at all when absent. */
  readonly forSomebodyMs?: number;
}

const USUAL: Patience = { attempts: 5, firstMs: 2_000 };
const LONGEST_PAUSE_MS = 30_000;

/**
 * Of a restore that the operator created: no user is there to create another one, and the outage that takes a majority
 * often makes the store unreachable for minutes. It ends when its result is not needed any more. Credentials may arrive
 * late; for ten minutes they are waited for.
 */
export const UNTIL_NOT_NEEDED: Patience = {
  attempts: Number.POSITIVE_INFINITY,
  firstMs: 2_000,
  forSomebodyMs: 600_000,
};

/** Retries after transient failures; as often as patience says, and with growing pauses. */
export async function retrying<Result>(work: () => Promise<Result>, options: Retrying): Promise<Result> {
  const { clock, random, signal, onTrouble, patience = USUAL, mayPass = () => true } = options;
  const { attempts, firstMs, forSomebodyMs = 0 } = patience;
  const backoff = new Backoff({ firstMs, lastMs: LONGEST_PAUSE_MS, random });
  const startedMs = clock.monotonic();
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const isForSomebody = needsFix(error) && clock.monotonic() - startedMs >= forSomebodyMs;
      if (signal.aborted || attempt === attempts || isForSomebody || !mayPass(error)) throw error;
      const why = messageOf(error);
      const count = Number.isFinite(attempts) ? `Attempt ${attempt} of ${attempts}` : `Attempt ${attempt}`;
      onTrouble(`${count} failed; retrying: ${why}`);
      await pause(clock, backoff.nextMs(), signal);
      signal.throwIfAborted();
    }
  }
}
