import { crc32 } from "node:zlib";

export const PIECE_BYTES = 1024 * 1024;

/** A checksum of each mebibyte of a stream, so that any of them can be compared later without the others. */
export class PieceSums {
  readonly #sums: number[] = [];
  #current = 0;
  #sizeBytes = 0;

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  get count(): number {
    return Math.ceil(this.#sizeBytes / PIECE_BYTES);
  }

  update(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length; ) {
      const room = PIECE_BYTES - (this.#sizeBytes % PIECE_BYTES);
      const part = chunk.subarray(at, at + room);
      this.#current = crc32(part, this.#current);
      this.#sizeBytes += part.length;
      at += part.length;
      if (part.length === room) {
        this.#sums.push(this.#current);
        this.#current = 0;
      }
    }
  }

  /** Of the piece with this index; the last may be a short one. */
  sumOf(index: number): number {
    return this.#sums[index] ?? this.#current;
  }

  lengthOf(index: number): number {
    return Math.min(PIECE_BYTES, this.#sizeBytes - index * PIECE_BYTES);
  }
}
