import { type Clock, systemClock } from "@etcd-operator/kubernetes-client";

/** The clock of the machine on which the operator runs: its date may be set, its stopwatch may not. */
export class SteppedClock implements Clock {
  #aheadMs = 0;

  get isRight(): boolean {
    return this.#aheadMs === 0;
  }

  now(): number {
    return systemClock.now() + this.#aheadMs;
  }

  monotonic(): number {
    return systemClock.monotonic();
  }

  after(ms: number, run: () => void): () => void {
    return systemClock.after(ms, run);
  }

  /** From now on it is ahead of the right time by so much. */
  set(aheadMs: number): void {
    this.#aheadMs = aheadMs;
  }
}
