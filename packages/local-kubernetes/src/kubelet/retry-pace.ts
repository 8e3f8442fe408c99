const firstMs = 500;
const lastMs = 10_000;

/** When to try again what could not be done, each time after twice as long. */
export class RetryPace {
  #at = 0;
  #waitMs = firstMs;

  /** In milliseconds since 1970; 0 when nothing has to be tried again. */
  get at(): number {
    return this.#at;
  }

  failed(now: number): void {
    this.#at = now + this.#waitMs;
    this.#waitMs = Math.min(this.#waitMs * 2, lastMs);
  }

  succeeded(): void {
    this.#at = 0;
    this.#waitMs = firstMs;
  }
}
