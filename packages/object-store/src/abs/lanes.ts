/** Runs a few things at once; after the first failure nothing more is begun. */
export class Lanes {
  readonly #most: number;
  readonly #onFailure: () => void;
  readonly #running = new Set<Promise<void>>();
  #failure: Error | undefined;

  constructor(most: number, onFailure: () => void) {
    this.#most = most;
    this.#onFailure = onFailure;
  }

  /** The first one. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  /** Waits for a free lane, and throws what failed before. */
  async add(run: () => Promise<void>): Promise<void> {
    while (this.#running.size >= this.#most) await Promise.race(this.#running);
    if (this.#failure) throw this.#failure;
    const lane = this.#watched(run()).finally(() => this.#running.delete(lane));
    this.#running.add(lane);
  }

  /** Waits until nothing runs. */
  async idle(): Promise<void> {
    await Promise.all(this.#running);
  }

  async #watched(running: Promise<void>): Promise<void> {
    try {
      await running;
    } catch (error) {
      this.#failure ??= error instanceof Error ? error : new Error(String(error));
      this.#onFailure();
    }
  }
}
