import { SnapshotCheck } from "@etcd-operator/etcd-client";
import type { Clock } from "@etcd-operator/kubernetes-client";
import { PieceSums } from "./piece-sums.ts";
import type { Sent } from "./read-back.ts";
import { SnapshotError } from "./snapshot-error.ts";

export interface SourceOptions {
  readonly clock: Clock;
  /** What the snapshot comes from, for messages. */
  readonly from: string;
  /** How large it will be at least, as far as the member knew. */
  readonly expectedBytes?: number;
  /** Stops the stream that gives no more bytes; what it is called with is the reason. */
  readonly cancel: (why: SnapshotError) => void;
  /** Called when all data is read and in order, right before the store gets the end of the data. */
  readonly beforeEnd: () => Promise<void>;
}

/** Etcd sends as fast as it is read; for so long it never has nothing to say. */
const STALL_MS = 60_000;

/**
 * A snapshot on its way to a store. It throws before its end when it does not end in its own hash, so that the store
 * keeps nothing of it. Time that the store takes does not count against the member.
 */
export class SnapshotSource implements AsyncIterable<Uint8Array> {
  readonly #check = new SnapshotCheck();
  readonly #sums: PieceSums;
  readonly #stream: AsyncIterable<Uint8Array>;
  readonly #options: SourceOptions;

  constructor(stream: AsyncIterable<Uint8Array>, options: SourceOptions) {
    this.#stream = stream;
    this.#options = options;
    this.#sums = new PieceSums(options.expectedBytes);
  }

  /** What passed, and by what it can be recognised. To be asked when all has passed. */
  get sent(): Sent {
    return { sizeBytes: this.#check.sizeBytes, sha256: this.#check.sha256(), pieces: this.#sums.pieces() };
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    const chunks = this.#stream[Symbol.asyncIterator]();
    try {
      for (let next = await this.#next(chunks); !next.done; next = await this.#next(chunks)) {
        this.#check.update(next.value);
        this.#sums.update(next.value);
        yield next.value;
      }
      this.#requireWhole();
      await this.#options.beforeEnd();
    } finally {
      await chunks.return?.();
    }
  }

  async #next(chunks: AsyncIterator<Uint8Array>): Promise<IteratorResult<Uint8Array>> {
    const { clock, from, cancel } = this.#options;
    const message = `${from} has sent nothing for ${STALL_MS / 1000} s, after ${this.#check.sizeBytes} bytes`;
    const stopTimer = clock.after(STALL_MS, () => cancel(new SnapshotError("stalled", message)));
    try {
      return await chunks.next();
    } finally {
      stopTimer();
    }
  }

  #requireWhole(): void {
    const verdict = this.#check.verdict();
    if (verdict === "ok") return;
    const what = verdict === "hash-missing" ? "does not end in its hash" : "does not match its hash";
    const message = `the snapshot that ${this.#options.from} sent ${what} (${this.#check.sizeBytes} bytes): nothing was stored`;
    throw new SnapshotError("damaged", message);
  }
}
