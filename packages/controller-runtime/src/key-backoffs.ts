import { Backoff } from "@etcd-operator/kubernetes-client";

export interface BackoffLimits {
  readonly firstMs: number;
  readonly lastMs: number;
}

/** One growing pause per key that keeps failing. */
export class KeyBackoffs {
  readonly #limits: BackoffLimits;
  readonly #random: () => number;
  readonly #failing = new Map<string, Backoff>();

  constructor(limits: BackoffLimits, random: () => number) {
    this.#limits = limits;
    this.#random = random;
  }

  /** The pause after one more failure of a key; never shorter than what the server asked for. */
  nextMs(key: string, atLeastMs?: number): number {
    const backoff = this.#failing.get(key) ?? new Backoff({ ...this.#limits, random: this.#random });
    this.#failing.set(key, backoff);
    return backoff.nextMs(atLeastMs);
  }

  reset(key: string): void {
    this.#failing.delete(key);
  }
}
