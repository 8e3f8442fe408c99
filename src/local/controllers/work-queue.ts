import { type Clock, systemClock } from "../../kubernetes/clock.ts";
import { hasCode, isAboutGoingNamespace } from "../../kubernetes/kubernetes-error.ts";

export interface WorkQueueOptions {
  /** Whose work it is, for the log. */
  readonly name: string;
  /** Does what a key needs, from the state of the world; may ask to be called again after some time. */
  readonly work: (key: string) => Promise<Again | undefined>;
  readonly signal: AbortSignal;
  readonly log: (line: string) => void;
  /** How many keys may be in work at once. */
  readonly parallel?: number;
  readonly clock?: Clock;
}

export interface Again {
  readonly afterMs: number;
}

const FIRST_RETRY_MS = 20;
const LONGEST_RETRY_MS = 5_000;
/** A timer of Node.js holds 24 days; whoever is woken too early asks again. */
const LONGEST_WAIT_MS = 86_400_000;

interface Timer {
  readonly dueMs: number;
  readonly cancel: () => void;
}

/** Works on keys, never twice at once on the same one; what fails is tried again, less and less often. */
export class WorkQueue {
  readonly #options: Required<WorkQueueOptions>;
  readonly #waiting = new Set<string>();
  readonly #working = new Set<string>();
  readonly #failures = new Map<string, number>();
  readonly #timers = new Map<string, Timer>();

  constructor(options: WorkQueueOptions) {
    this.#options = { parallel: 8, clock: systemClock, ...options };
    options.signal.addEventListener("abort", () => this.#stop(), { once: true });
  }

  /** Has a key worked on soon; a key that is in work will be once more. */
  add(key: string): void {
    if (this.#options.signal.aborted) return;
    this.#waiting.add(key);
    this.#startWork();
  }

  /** The soonest of several times wins. */
  addAfter(key: string, afterMs: number): void {
    const { clock, signal } = this.#options;
    const waitMs = Math.max(0, Math.min(afterMs, LONGEST_WAIT_MS));
    const dueMs = clock.monotonic() + waitMs;
    const pending = this.#timers.get(key);
    if (signal.aborted || (pending && pending.dueMs <= dueMs)) return;
    pending?.cancel();
    const cancel = clock.after(waitMs, () => {
      this.#timers.delete(key);
      this.add(key);
    });
    this.#timers.set(key, { dueMs, cancel });
  }

  #startWork(): void {
    for (const key of this.#waiting) {
      if (this.#working.size >= this.#options.parallel) return;
      if (this.#working.has(key)) continue;
      this.#waiting.delete(key);
      this.#working.add(key);
      void this.#work(key).finally(() => {
        this.#working.delete(key);
        this.#startWork();
      });
    }
  }

  async #work(key: string): Promise<void> {
    try {
      const again = await this.#options.work(key);
      this.#failures.delete(key);
      if (again) this.addAfter(key, again.afterMs);
    } catch (error) {
      if (this.#options.signal.aborted) return;
      if (isAboutGoingNamespace(error)) {
        this.#failures.delete(key);
        return;
      }
      const failures = this.#failures.get(key) ?? 0;
      this.#failures.set(key, failures + 1);
      // That another was faster is how concurrent writers learn of each other: no reason to tell, unless it goes on.
      const isExpected = failures < 5 && hasCode(error, "conflict", "not-found", "already-exists");
      if (!isExpected) this.#options.log(`${this.#options.name}: ${key}: ${String(error)}`);
      this.addAfter(key, Math.min(FIRST_RETRY_MS * 2 ** failures, LONGEST_RETRY_MS));
    }
  }

  #stop(): void {
    for (const { cancel } of this.#timers.values()) cancel();
    this.#timers.clear();
    this.#waiting.clear();
  }
}
