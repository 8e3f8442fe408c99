import { type Clock, pause, systemClock } from "./clock.ts";
import { LeaseLock, type LeaseLockOptions } from "./lease-lock.ts";
import { linkedAbort } from "./linked-abort.ts";

/**
 * Whether the Lease is surely still ours, by our own clock alone. To be asked right before a write: a process that was frozen wakes up
 * in the middle of its work, long before a timer or an answer could tell it that others have taken over.
 */
export type IsLeading = () => boolean;

export interface ElectionOptions extends LeaseLockOptions {
  /** Runs while elected. It ends soon after its signal aborts: the others wait for 5 s beyond that, and no longer. */
  readonly lead: (signal: AbortSignal, isLeading: IsLeading) => Promise<void>;
  readonly onLost?: (why: string) => void;
  /** Told of each new holder, also of ourselves. */
  readonly onLeader?: (identity: string) => void;
  readonly onError?: (error: unknown) => void;
  /** A leader that could not renew for so long stops: 14 s, less than the 20 s that the others wait. */
  readonly renewDeadlineMs?: number;
  /** How soon after a renewal the next one follows: 8 s. Each costs the API server a write, for as long as the operator runs. */
  readonly renewPeriodMs?: number;
  /** How soon after one that failed, or while another leads: 2 s. */
  readonly retryPeriodMs?: number;
  readonly random?: () => number;
}

/**
 * Competes for a Lease and leads while it holds it, again and again, until the signal aborts or `lead` returns of itself.
 * The Lease is given back after `lead` has returned, never before.
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
  readonly #deadlineMs: number;
  readonly #renewMs: number;
  readonly #retryMs: number;
  #leader: string | undefined;

  constructor(options: ElectionOptions) {
    this.#options = options;
    this.#lock = new LeaseLock(options);
    this.#clock = options.clock ?? systemClock;
    this.#deadlineMs = options.renewDeadlineMs ?? 14_000;
    this.#retryMs = options.retryPeriodMs ?? 2_000;
    this.#renewMs = options.renewPeriodMs ?? 8_000;
  }

  /** False when the signal aborted first. */
  async acquire(signal: AbortSignal): Promise<boolean> {
    const { random = Math.random } = this.#options;
    while (!signal.aborted) {
      const held = await this.#isHeld(this.#deadlineMs, signal);
      if (held && !signal.aborted) return true;
      // What was cut off may have been granted, and must not keep the others waiting.
      if (signal.aborted) await this.#release();
      else await pause(this.#clock, this.#retryMs * (1 + random()), signal);
    }
    return false;
  }

  async lead(signal: AbortSignal): Promise<"ended" | "lost"> {
    const work = linkedAbort(signal);
    const renewal = linkedAbort(undefined);
    let [isLost, isOver] = [false, false];
    const lose = (why: string) => {
      if (isLost) return;
      isLost = true;
      renewal.abort();
      work.abort(new Error(why));
      this.#options.onLost?.(why);
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

  async #keepRenewing(lose: (why: string) => void, signal: AbortSignal): Promise<void> {
    let periodMs = this.#renewMs;
    while (!signal.aborted) {
      const leftMs = this.#leftMs();
      const tooLate = `the Lease could not be renewed for ${this.#deadlineMs} ms`;
      // A timer of its own: a request that hangs must not keep us in office.
      const cancel = this.#clock.after(leftMs, () => lose(tooLate));
      await pause(this.#clock, periodMs, signal);
      const held = signal.aborted ? undefined : await this.#isHeld(leftMs, signal);
      cancel();
      periodMs = held ? this.#renewMs : this.#retryMs;
      if (held === false) lose(`the Lease is held by '${this.#lock.holder}'`);
    }
  }

  /** How long we may lead without another renewal, counted from before the last one was sent. */
  #leftMs(): number {
    return this.#lock.heldSinceMs + this.#deadlineMs - this.#clock.monotonic();
  }

  /** Undefined when it could not be found out. */
  async #isHeld(timeoutMs: number, signal: AbortSignal): Promise<boolean | undefined> {
    try {
      return await this.#lock.tryHold({ signal, timeoutMs: Math.max(1, Math.min(timeoutMs, this.#deadlineMs)) });
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
