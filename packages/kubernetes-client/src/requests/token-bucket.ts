import type { Clock } from "../watch/clock.ts";

/** Allows a burst, and after it one per interval. */
export class TokenBucket {
  readonly #burst: number;
  readonly #refillMs: number;
  readonly #clock: Clock;
  #tokens: number;
  #atMs: number;

  constructor(burst: number, refillMs: number, clock: Clock) {
    this.#burst = burst;
    this.#refillMs = refillMs;
    this.#clock = clock;
    this.#tokens = burst;
    this.#atMs = clock.monotonic();
  }

  take(): boolean {
    const nowMs = this.#clock.monotonic();
    this.#tokens = Math.min(this.#burst, this.#tokens + (nowMs - this.#atMs) / this.#refillMs);
    this.#atMs = nowMs;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}
