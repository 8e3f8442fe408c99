import type { Clock } from "@etcd-operator/kubernetes-client";

/** Beyond this, timers of Node.js fire at once; a key that is woken too early only costs a look. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

interface Delayed {
  readonly dueMs: number;
  readonly cancel: () => void;
}

/** Keys with a time at which they are due; of several times for one key the soonest counts. */
export class DelayedKeys {
  readonly #clock: Clock;
  readonly #onDue: (key: string) => void;
  readonly #delayed = new Map<string, Delayed>();

  constructor(clock: Clock, onDue: (key: string) => void) {
    this.#clock = clock;
    this.#onDue = onDue;
  }

  add(key: string, delayMs: number): void {
    const waitMs = Math.min(Math.max(0, delayMs), LONGEST_TIMER_MS);
    const dueMs = this.#clock.monotonic() + waitMs;
    const present = this.#delayed.get(key);
    if (present && present.dueMs <= dueMs) return;
    present?.cancel();
    const cancel = this.#clock.after(waitMs, () => {
      this.#delayed.delete(key);
      this.#onDue(key);
    });
    this.#delayed.set(key, { dueMs, cancel });
  }

  drop(key: string): void {
    this.#delayed.get(key)?.cancel();
    this.#delayed.delete(key);
  }

  clear(): void {
    for (const { cancel } of this.#delayed.values()) cancel();
    this.#delayed.clear();
  }
}
