import { type Clock, onAbort, systemClock } from "@etcd-operator/kubernetes-client";
import { DelayedKeys } from "./delayed-keys.ts";

/** Told of what goes on in the queue, for metrics. */
export interface QueueObserver {
  depth(keys: number): void;
  /** How long a key that is now taken was ready and waited for its turn. */
  waited(ms: number): void;
}

export interface WorkQueueOptions {
  readonly clock?: Clock | undefined;
  readonly observer?: QueueObserver | undefined;
}

/**
 * Where a key is; one that is neither ready nor taken has no state.
 *
 *   (none) ──add──▶ ready ──take──▶ taken ──done──▶ (none), or ready when it was added meanwhile
 */
type KeyState =
  | { readonly kind: "ready"; readonly sinceMs: number }
  | { readonly kind: "taken"; readonly isAddedAgain: boolean };

/** Keys that need a look, first come, first served. A key is in it once, and never taken by two at a time. */
export class WorkQueue {
  readonly #clock: Clock;
  readonly #observer: QueueObserver | undefined;
  readonly #states = new Map<string, KeyState>();
  /** In the order in which they became ready. */
  readonly #ready = new Set<string>();
  readonly #delayed: DelayedKeys;
  /** Until when a key is left alone, also when it is added again. */
  readonly #restUntilMs = new Map<string, number>();
  readonly #takers = new Set<(key: string | undefined) => void>();
  #isClosed = false;

  constructor({ clock = systemClock, observer }: WorkQueueOptions = {}) {
    this.#clock = clock;
    this.#observer = observer;
    this.#delayed = new DelayedKeys(clock, (key) => this.#makeReady(key));
  }

  get depth(): number {
    return this.#ready.size;
  }

  /** The key needs a look, now or when its rest is over. */
  add(key: string): void {
    this.addAfter(key, 0);
  }

  /**
   * The key needs a look after a while. Of several such wishes the soonest counts, and taking the key grants them all.
   */
  addAfter(key: string, delayMs: number): void {
    if (this.#isClosed) return;
    const restMs = (this.#restUntilMs.get(key) ?? 0) - this.#clock.monotonic();
    const waitMs = Math.max(delayMs, restMs);
    if (waitMs > 0) this.#delayed.add(key, waitMs);
    else this.#makeReady(key);
  }

  /**
   * The key that has been ready for longest, as soon as there is one; it stays taken until `done`. Undefined at the
   * end.
   */
  async take(signal: AbortSignal): Promise<string | undefined> {
    if (this.#isClosed || signal.aborted) return undefined;
    const [key] = this.#ready;
    if (key !== undefined) return this.#start(key);
    return new Promise((resolve) => {
      const taker = (given: string | undefined) => {
        this.#takers.delete(taker);
        unlink();
        resolve(given);
      };
      this.#takers.add(taker);
      const unlink = onAbort(signal, () => taker(undefined));
    });
  }

  /**
   * Gives a taken key back, and leaves it alone for a while; what was added meanwhile is then ready again, behind the
   * others.
   */
  done(key: string, { restMs = 0 }: { readonly restMs?: number } = {}): void {
    const state = this.#states.get(key);
    if (state?.kind !== "taken") return;
    this.#states.delete(key);
    if (restMs > 0) this.#restUntilMs.set(key, this.#clock.monotonic() + restMs);
    if (state.isAddedAgain) this.add(key);
  }

  /** Drops what is remembered of a key: wishes for later, and its rest. */
  forget(key: string): void {
    this.#delayed.drop(key);
    this.#restUntilMs.delete(key);
  }

  /** From now on nothing is ready any more. */
  close(): void {
    this.#isClosed = true;
    this.#delayed.clear();
    for (const taker of this.#takers) taker(undefined);
  }

  #makeReady(key: string): void {
    const state = this.#states.get(key);
    if (state?.kind === "ready") return;
    if (state?.kind === "taken") {
      this.#states.set(key, { kind: "taken", isAddedAgain: true });
      return;
    }
    this.#states.set(key, { kind: "ready", sinceMs: this.#clock.monotonic() });
    this.#ready.add(key);
    this.#observer?.depth(this.depth);
    const [taker] = this.#takers;
    if (taker) taker(this.#start(key));
  }

  #start(key: string): string {
    const state = this.#states.get(key);
    if (state?.kind === "ready") this.#observer?.waited(this.#clock.monotonic() - state.sinceMs);
    this.#states.set(key, { kind: "taken", isAddedAgain: false });
    this.#ready.delete(key);
    this.#observer?.depth(this.depth);
    // A look sees everything there is, so earlier wishes for a later look are granted by this one.
    this.forget(key);
    return key;
  }
}
