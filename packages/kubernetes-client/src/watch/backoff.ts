/** Growing pauses after failures, of which each is partly random so that clients do not return all at once. */
export class Backoff {
  readonly #firstMs: number;
  readonly #lastMs: number;
  readonly #random: () => number;
  #failures = 0;

  constructor({ firstMs, lastMs, random }: { firstMs: number; lastMs: number; random: () => number }) {
    this.#firstMs = firstMs;
    this.#lastMs = lastMs;
    this.#random = random;
  }

  /** The pause after one more failure; never shorter than what the server asks for. */
  nextMs(atLeastMs = 0): number {
    const wholeMs = Math.min(this.#lastMs, this.#firstMs * 2 ** this.#failures);
    this.#failures = Math.min(this.#failures + 1, 30);
    const pauseMs = wholeMs * (0.5 + this.#random() / 2);
    return atLeastMs > pauseMs ? atLeastMs + this.#random() * this.#firstMs : pauseMs;
  }

  reset(): void {
    this.#failures = 0;
  }
}
