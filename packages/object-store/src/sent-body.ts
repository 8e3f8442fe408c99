import { Readable } from "node:stream";
import type { IdleGuard } from "./idle-guard.ts";

const PIECE_BYTES = 65_536;
// Slower than any line on which a backup would end in time.
const SLOWEST_BYTES_PER_MS = 512;

/** Bytes as the body of a request, in pieces, so that the guard sees them go. */
export function sentBody(bytes: Buffer, guard: IdleGuard): Readable {
  function* pieces() {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      guard.touch();
      yield bytes.subarray(at, at + PIECE_BYTES);
    }
    // The last megabytes are gone as far as this process can tell, and still lie in the kernel's buffers.
    guard.touch(bytes.length / SLOWEST_BYTES_PER_MS);
  }
  return Readable.from(pieces(), { objectMode: false });
}
