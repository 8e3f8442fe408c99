import type { Watch, WatchEvent, WatchMessage } from "@etcd-operator/etcd-client/watch.ts";

interface Source {
  readonly signal: AbortSignal | undefined;
  /** Throws where the watch cannot begin. */
  check(): void;
  revision(): bigint;
  /** What happened after a revision. */
  after(seen: bigint): readonly WatchEvent[];
  ended(): void;
}

/** A watch on keys in memory. */
export class MemoryWatch implements Watch {
  readonly #source: Source;
  #seen = 0n;
  #wantsProgress = false;
  #isEnded = false;
  #wake: () => void = () => undefined;

  constructor(source: Source) {
    this.#source = source;
    source.signal?.addEventListener("abort", () => this.end(), { once: true });
  }

  requestProgress(): void {
    this.#wantsProgress = true;
    this.#wake();
  }

  /** Something may have happened. */
  tell(): void {
    this.#wake();
  }

  end(): void {
    this.#isEnded = true;
    this.#source.ended();
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<WatchMessage> {
    const source = this.#source;
    try {
      source.check();
      yield { kind: "created", revision: source.revision() };
      while (!this.#isEnded && !source.signal?.aborted) {
        const revision = source.revision();
        const events = source.after(this.#seen);
        this.#seen = revision;
        if (events.length > 0) yield { kind: "events", revision, events };
        else if (this.#wantsProgress) {
          this.#wantsProgress = false;
          yield { kind: "progress", revision };
        } else await this.#woken();
      }
    } finally {
      source.ended();
    }
  }

  async #woken(): Promise<void> {
    // What happened without a waiting reader is found at once.
    if (this.#source.revision() > this.#seen || this.#isEnded) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    this.#wake = () => undefined;
  }
}
