import { createHash, type Hash } from "node:crypto";

/**
 * "hash-missing": the file does not end in a hash, as a copy of a data directory or a cut-off download does not;
 * "hash-mismatch": it does, and it is not the hash of what precedes it.
 */
export type SnapshotVerdict = "ok" | "hash-missing" | "hash-mismatch";

const HASH_BYTES = 32;

// The database is written in whole pages, and etcd takes a file for hashed when exactly one hash is left over. So must
// we: `etcdctl snapshot status` is content with a file whose hash was cut off.
const PAGE_BYTES = 512;

/** Checks a snapshot while it passes by: everything but the last 32 bytes is hashed, and they must be that hash. */
export class SnapshotCheck {
  readonly #hash: Hash = createHash("sha256");
  #tail: Uint8Array = new Uint8Array(0);
  #sizeBytes = 0;
  #findings: { readonly verdict: SnapshotVerdict; readonly sha256: string } | undefined;

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  update(chunk: Uint8Array): void {
    this.#sizeBytes += chunk.length;
    // Short pieces are joined first; of a long one only the end is copied.
    if (chunk.length < HASH_BYTES) {
      const joined = Buffer.concat([this.#tail, chunk]);
      this.#hash.update(joined.subarray(0, Math.max(0, joined.length - HASH_BYTES)));
      this.#tail = joined.subarray(-HASH_BYTES);
      return;
    }
    this.#hash.update(this.#tail);
    this.#hash.update(chunk.subarray(0, -HASH_BYTES));
    this.#tail = Uint8Array.from(chunk.subarray(-HASH_BYTES));
  }

  /** To be asked after the last byte. */
  verdict(): SnapshotVerdict {
    return this.#find().verdict;
  }

  /** Of the whole file, in hexadecimal; it costs no second pass. To be asked after the last byte. */
  sha256(): string {
    return this.#find().sha256;
  }

  #find() {
    this.#findings ??= {
      sha256: this.#hash.copy().update(this.#tail).digest("hex"),
      verdict: this.#judge(),
    };
    return this.#findings;
  }

  #judge(): SnapshotVerdict {
    if (this.#sizeBytes % PAGE_BYTES !== HASH_BYTES || this.#sizeBytes === HASH_BYTES) return "hash-missing";
    return this.#hash.digest().equals(this.#tail) ? "ok" : "hash-mismatch";
  }
}
