import { crc32 } from "node:zlib";

export const PIECE_BYTES = 256 * 1024;

/** A stretch of a stream, by which it can be recognised later without the rest. */
export interface PieceSum {
  readonly offset: number;
  readonly length: number;
  readonly crc32: number;
}

// At least so many are kept; sums of all would take half as long as the hash of the file.
const KEPT = 64;
// Also of what turns out to be much shorter than expected, some are.
const WIDEST_STRIDE = 16;

/** Checksums of some of the pieces of a stream, evenly spread, and of all of them from where its end is expected. */
export class PieceSums {
  readonly #stride: number;
  /** The index of the piece that is expected to be the last. */
  readonly #expectedLast: number;
  readonly #kept: PieceSum[] = [];
  #current = 0;
  #sizeBytes = 0;

  /** @param expectedBytes how long the stream will be at least; when unknown, every piece is kept */
  constructor(expectedBytes = 0) {
    const expected = Math.ceil(expectedBytes / PIECE_BYTES);
    this.#stride = Math.min(WIDEST_STRIDE, Math.max(1, Math.floor(expected / KEPT)));
    this.#expectedLast = expected - 1;
  }

  update(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length; ) {
      const inPiece = this.#sizeBytes % PIECE_BYTES;
      const part = chunk.subarray(at, at + PIECE_BYTES - inPiece);
      if (this.#isKept()) this.#current = crc32(part, this.#current);
      if (inPiece + part.length === PIECE_BYTES) this.#close(PIECE_BYTES);
      this.#sizeBytes += part.length;
      at += part.length;
    }
  }

  /** To be asked after the last byte. */
  pieces(): readonly PieceSum[] {
    const length = this.#sizeBytes % PIECE_BYTES;
    if (length === 0 || !this.#isKept()) return this.#kept;
    return [...this.#kept, { offset: this.#sizeBytes - length, length, crc32: this.#current }];
  }

  #isKept(): boolean {
    const index = Math.floor(this.#sizeBytes / PIECE_BYTES);
    return index % this.#stride === 0 || index >= this.#expectedLast;
  }

  #close(length: number): void {
    if (!this.#isKept()) return;
    const offset = Math.floor(this.#sizeBytes / PIECE_BYTES) * PIECE_BYTES;
    this.#kept.push({ offset, length, crc32: this.#current });
    this.#current = 0;
  }
}
