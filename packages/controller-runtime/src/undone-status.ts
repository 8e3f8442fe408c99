import type { Clock } from "@etcd-operator/kubernetes-client";

const FIRST_DELAY_MS = 2_000;
const LAST_DELAY_MS = 60_000;
/** What is found otherwise after longer is a new matter. */
const MEMORY_MS = 10_000;

interface Written {
  readonly text: string;
  /** How often it was written again, because it was no longer there. */
  readonly again: number;
  readonly atMs: number;
  readonly delayMs: number;
}

/** The last status that was written, by key: where others undo it, it is written again less and less often. */
export class UndoneStatus {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #unsteady: RegExp;
  readonly #last = new Map<string, Written>();

  /** `unsteady`: names of fields that change by themselves. Times do, where another client has changed a condition. */
  constructor(clock: Pick<Clock, "monotonic">, unsteady: RegExp = /Time$/) {
    this.#clock = clock;
    this.#unsteady = unsteady;
  }

  noteWritten(key: string, status: object): void {
    const [text, atMs, last] = [this.#textOf(status), this.#clock.monotonic(), this.#last.get(key)];
    const isAgain = last?.text === text && atMs - last.atMs < MEMORY_MS + last.delayMs;
    const again = isAgain ? last.again + 1 : 0;
    // Once may be an accident, or a cache that was behind.
    const delayMs = again === 0 ? 0 : Math.min(LAST_DELAY_MS, FIRST_DELAY_MS * 2 ** (again - 1));
    this.#last.set(key, { text, again, atMs, delayMs });
  }

  /** How long until it may be written again; 0 for one that says anything else. */
  leftMs(key: string, status: object): number {
    const last = this.#last.get(key);
    if (!last || last.delayMs === 0 || last.text !== this.#textOf(status)) return 0;
    return Math.max(0, last.atMs + last.delayMs - this.#clock.monotonic());
  }

  forget(key: string): void {
    this.#last.delete(key);
  }

  #textOf(status: object): string {
    return JSON.stringify(status, (field, value: unknown) => (this.#unsteady.test(field) ? undefined : value));
  }
}
