import type { Clock } from "@etcd-operator/kubernetes-client";

/** Which passes run, to tell when one of them hangs. */
export class RunningPasses {
  readonly #clock: Clock;
  readonly #limitMs: number;
  readonly #startedMs = new Map<string, number>();

  /** A pass that is longer than the limit does not even heed its own abort. */
  constructor(clock: Clock, limitMs: number) {
    this.#clock = clock;
    this.#limitMs = limitMs;
  }

  /** Returns what ends it, and then tells how long it took. */
  start(key: string): () => number {
    const startedMs = this.#clock.monotonic();
    this.#startedMs.set(key, startedMs);
    return () => {
      this.#startedMs.delete(key);
      return this.#clock.monotonic() - startedMs;
    };
  }

  /** What hangs, in words; undefined when nothing does. */
  get complaint(): string | undefined {
    const nowMs = this.#clock.monotonic();
    const hanging = [...this.#startedMs].filter(([, startedMs]) => nowMs - startedMs > this.#limitMs);
    if (hanging.length === 0) return undefined;
    return hanging
      .map(([key, startedMs]) => `the reconcile of '${key}' has been hanging for ${nowMs - startedMs} ms`)
      .join(", ");
  }
}
