import { calledOff } from "./attempts.ts";
import type { PutOptions } from "./object-store.ts";
import { onAbort } from "./on-abort.ts";

/** A piece of an object that is sent on its own. */
export interface Part {
  readonly index: number;
  readonly offset: number;
  readonly bytes: Buffer;
  readonly isLast: boolean;
}

export interface PartReaderOptions extends PutOptions {
  /** For the message when it is called off. */
  readonly operation: string;
  /** How large a part is; only the last may be smaller. */
  readonly partBytes: (index: number) => number;
}

// Most of what lies beside a backup is smaller than this, and a whole part is not worth allocating for it.
const SMALL_BYTES = 65_536;

/** Cuts a source into parts. Of an empty one there is one part, which is empty. */
export class PartReader {
  readonly #iterator: AsyncIterator<Uint8Array>;
  readonly #options: PartReaderOptions;
  /** Read, and not in a part yet. The source may use the buffer again, but only once it is asked for more. */
  #rest: Uint8Array = Buffer.alloc(0);
  readonly #released: Buffer[] = [];
  #readBytes = 0;
  #parts = 0;
  #isReading = false;
  #isOver = false;

  constructor(source: AsyncIterable<Uint8Array>, options: PartReaderOptions) {
    this.#iterator = source[Symbol.asyncIterator]();
    this.#options = options;
  }

  /** Undefined after the last one. The source's own errors come through as they are. */
  async next(): Promise<Part | undefined> {
    if (this.#isOver) return undefined;
    const index = this.#parts;
    const size = this.#options.partBytes(index);
    const offset = this.#readBytes - this.#rest.length;
    let bytes: Buffer = this.#released.pop() ?? Buffer.allocUnsafeSlow(Math.min(size, SMALL_BYTES));
    let filled = 0;
    while (filled < size && (await this.#hasMore())) {
      if (bytes.length < size && filled + this.#rest.length > bytes.length) bytes = grown(bytes, filled, size);
      const taken = Math.min(this.#rest.length, size - filled);
      bytes.set(this.#rest.subarray(0, taken), filled);
      filled += taken;
      this.#rest = this.#rest.subarray(taken);
    }
    const isLast = !(await this.#hasMore());
    this.#parts += 1;
    return { index, offset, bytes: bytes.subarray(0, filled), isLast };
  }

  /**
   * Takes back the memory of a part that is not needed any more. Without it, garbage of many parts piles up between two
   * collections.
   */
  release({ index, bytes }: Part): void {
    if (bytes.length === this.#options.partBytes(index)) this.#released.push(bytes);
  }

  /** Lets go of the source. One that hangs is not waited for. */
  async close(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    const closed = Promise.resolve(this.#iterator.return?.()).catch(() => undefined);
    if (!this.#isReading) await closed;
  }

  async #hasMore(): Promise<boolean> {
    while (this.#rest.length === 0 && !this.#isOver) {
      const { done, value } = await this.#read();
      if (done) this.#isOver = true;
      else this.#take(value);
    }
    if (this.#options.signal?.aborted) throw calledOff(this.#options.operation);
    return this.#rest.length > 0;
  }

  #take(chunk: Uint8Array): void {
    this.#rest = chunk;
    this.#readBytes += chunk.length;
    this.#options.onProgress?.(this.#readBytes);
  }

  /** One read of the source, which ends at once when it is called off. */
  async #read(): Promise<IteratorResult<Uint8Array>> {
    const { signal, operation } = this.#options;
    if (signal?.aborted) throw calledOff(operation);
    this.#isReading = true;
    const reading = this.#iterator.next().finally(() => {
      this.#isReading = false;
    });
    let undo = () => {};
    try {
      return await new Promise((resolve, reject) => {
        reading.then(resolve, (error: unknown) => {
          this.#isOver = true;
          reject(error);
        });
        undo = onAbort(signal, () => reject(calledOff(operation)));
      });
    } finally {
      undo();
    }
  }
}

function grown(bytes: Buffer, filled: number, size: number): Buffer {
  const whole = Buffer.allocUnsafeSlow(size);
  bytes.copy(whole, 0, 0, filled);
  return whole;
}
