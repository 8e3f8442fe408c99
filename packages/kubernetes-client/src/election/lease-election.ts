import { linkedAbort } from "../requests/linked-abort.ts";
import { type Clock, pause, systemClock } from "../watch/clock.ts";
import { LeaseLock, type LeaseLockOptions } from "./lease-lock.ts";

/**
 * Whether the Lease is surely still ours, by our own clock alone. To be asked right before a write: a process that was
 * frozen wakes up in the middle of its work, long before a timer or an answer could tell it that others have taken
 * over.
 */
export type IsLeading = () => boolean;

export interface ElectionTimes {
  /** How long the others wait without a sign of life from the holder: 30 s. */
  readonly leaseDurationMs?: number;
  /** A leader that could not renew for so long stops: 25 s, so that it has wound up before the others begin. */
  readonly renewDeadlineMs?: number;
  /**
   * How soon after a renewal the next one follows: 5 s. Each costs the API server a write, for as long as the operator
   * runs.
   */
  readonly renewPeriodMs?: number;
  /** How soon after the beginning of one that failed the next one follows: 1 s. */
  readonly retryPeriodMs?: number;
  /** How long one request of a renewal may take: 3 s. One that hangs must leave time for others. */
  readonly renewTimeoutMs?: number;
  /** How soon another try follows while another leads, or it is not known who does: 2 to 4 s. */
  readonly acquirePeriodMs?: number;
}

export interface ElectionOptions extends Omit<LeaseLockOptions, "leaseDurationMs"> {
  /** Runs while elected. It ends soon after its signal aborts: the others wait for 5 s beyond that, and no longer. */
  readonly lead: (signal: AbortSignal, isLeading: IsLeading) => Promise<void>;
  /** The work has been told to end by then. Another process may hold the Lease, or no known one. */
  readonly onLost?: (why: string, holder: string | undefined) => void;
  /** Told of each new holder, also of ourselves. */
  readonly onLeader?: (identity: string) => void;
  readonly onError?: (error: unknown) => void;
  readonly times?: ElectionTimes | undefined;
  readonly random?: () => number;
}

/**
 * An API server may be away for 15 s: the last renewal may have been sent 5 s before, one that hangs when it is back
 * takes 3 s, and 2 s remain for the one that follows. The holder then has 5 s to wind up before another may begin.
 */
const USUAL_TIMES = {
  leaseDurationMs: 30_000,
  renewDeadlineMs: 25_000,
  renewPeriodMs: 5_000,
  retryPeriodMs: 1_000,
  renewTimeoutMs: 3_000,
  acquirePeriodMs: 2_000,
};
/** Without a Lease there is no hurry: a slow answer is better than none. */
const ACQUIRE_TIMEOUT_MS = 10_000;

/**
 * Competes for a Lease and leads while it holds it, again and again, until the signal aborts or `lead` returns of
 * itself. The Lease is given back after `lead` has returned, never before.
 */
export async function runElected(options: ElectionOptions, signal: AbortSignal): Promise<void> {
  const election = new Election(options);
  while (await election.acquire(signal)) {
    if ((await election.lead(signal)) === "ended") return;
  }
}

class Election {
  readonly #options: ElectionOptions;
  readonly #lock: LeaseLock;
  readonly #clock: Clock;
  readonly #times: Required<ElectionTimes>;
  #leader: string | undefined;

  constructor(options: ElectionOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#times = { ...USUAL_TIMES, ...options.times };
    this.#lock = new LeaseLock({ ...options, leaseDurationMs: this.#times.leaseDurationMs });
  }

  /** False when the signal aborted first. */
  async acquire(signal: AbortSignal): Promise<boolean> {
    const { random = Math.random } = this.#options;
    while (!signal.aborted) {
      const held = await this.#isHeld(ACQUIRE_TIMEOUT_MS, signal);
      if (held && !signal.aborted) return true;
      // What was cut off may have been granted, and must not keep the others waiting.
      if (signal.aborted) await this.#release();
      else await pause(this.#clock, this.#times.acquirePeriodMs * (1 + random()), signal);
    }
    return false;
  }

  async lead(signal: AbortSignal): Promise<"ended" | "lost"> {
    const work = linkedAbort(signal);
    const renewal = linkedAbort(undefined);
    let [isLost, isOver] = [false, false];
    const lose = (why: string, holder?: string) => {
      if (isLost) return;
      isLost = true;
      renewal.abort();
      work.abort(new Error(why));
      this.#options.onLost?.(why, holder);
    };
    // Also while `lead` winds up: it still acts as the leader.
    const renewing = this.#keepRenewing(lose, renewal.signal);
    try {
      await this.#options.lead(work.signal, () => !isLost && !isOver && this.#leftMs() > 0);
    } finally {
      isOver = true;
      renewal.abort();
      work.unlink();
      await renewing;
      if (!isLost) await this.#release();
    }
    return isLost && !signal.aborted ? "lost" : "ended";
  }

  async #keepRenewing(lose: (why: string, holder?: string) => void, signal: AbortSignal): Promise<void> {
    const { renewPeriodMs, retryPeriodMs, renewTimeoutMs, renewDeadlineMs } = this.#times;
    let nextAtMs = this.#lock.heldSinceMs + renewPeriodMs;
    while (!signal.aborted) {
      const tooLate = `the Lease could not be renewed for ${renewDeadlineMs} ms`;
      // A timer of its own: a request that hangs must not keep us in office.
      const cancel = this.#clock.after(this.#leftMs(), () => lose(tooLate));
      await pause(this.#clock, nextAtMs - this.#clock.monotonic(), signal);
      const beganAtMs = this.#clock.monotonic();
      const held = signal.aborted ? undefined : await this.#isHeld(renewTimeoutMs, signal);
      cancel();
      nextAtMs = beganAtMs + (held ? renewPeriodMs : retryPeriodMs);
      if (held === false) lose(`the Lease is held by '${this.#lock.holder}'`, this.#lock.holder);
    }
  }

  /** How long we may lead without another renewal, counted from before the last one was sent. */
  #leftMs(): number {
    return this.#lock.heldSinceMs + this.#times.renewDeadlineMs - this.#clock.monotonic();
  }

  /** Undefined when it could not be found out. */
  async #isHeld(timeoutMs: number, signal: AbortSignal): Promise<boolean | undefined> {
    try {
      return await this.#lock.tryHold({ signal, timeoutMs });
    } catch (error) {
      if (!signal.aborted) this.#options.onError?.(error);
      return undefined;
    } finally {
      this.#tellLeader();
    }
  }

  #tellLeader(): void {
    const { holder } = this.#lock;
    if (holder === undefined || holder === this.#leader) return;
    this.#leader = holder;
    this.#options.onLeader?.(holder);
  }

  async #release(): Promise<void> {
    try {
      await this.#lock.release({ timeoutMs: 5_000 });
    } catch (error) {
      // It runs out by itself.
      this.#options.onError?.(error);
    }
  }
}
