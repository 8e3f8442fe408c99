/** Reads a piece of a file; fewer bytes than asked for mean that it ends there. */
export type ReadRange = (offset: number, length: number) => Promise<Uint8Array>;

/** What is wrong with a file that should be a database of bbolt. */
export class BoltDefect extends Error {
  override readonly name = "BoltDefect";
}

// A piece is a request to a store, so it is larger than a page; few are needed, and a file that lies about itself may
// not ask for many more.
const BLOCK_BYTES = 16 * 1024;
const MOST_BLOCKS = 512;

/** Numbers and bytes of a file, of which only those pieces are fetched that are looked at. */
export class BoltFile {
  readonly #read: ReadRange;
  readonly sizeBytes: number;
  readonly #blocks = new Map<number, Uint8Array>();

  constructor(read: ReadRange, sizeBytes: number) {
    this.#read = read;
    this.sizeBytes = sizeBytes;
  }

  async bytes(offset: number, length: number): Promise<Uint8Array> {
    if (offset + length > this.sizeBytes) {
      throw new BoltDefect(`it refers to byte ${offset + length}, and ends at byte ${this.sizeBytes}`);
    }
    if (length > MOST_BLOCKS * BLOCK_BYTES) throw new BoltDefect("its pages refer to far more than a sound one needs");
    const bytes = new Uint8Array(length);
    for (let at = offset; at < offset + length; ) {
      const start = at - (at % BLOCK_BYTES);
      const block = await this.#block(start);
      const part = block.subarray(at - start, offset + length - start);
      if (part.length === 0) throw new BoltDefect(`it ends at byte ${start + block.length}, before its end`);
      bytes.set(part, at - offset);
      at += part.length;
    }
    return bytes;
  }

  async view(offset: number, length: number): Promise<DataView> {
    return new DataView((await this.bytes(offset, length)).buffer);
  }

  async #block(start: number): Promise<Uint8Array> {
    const known = this.#blocks.get(start);
    if (known) return known;
    if (this.#blocks.size >= MOST_BLOCKS) throw new BoltDefect("its pages refer to far more than a sound one needs");
    const block = await this.#read(start, Math.min(BLOCK_BYTES, this.sizeBytes - start));
    this.#blocks.set(start, block);
    return block;
  }
}
