import type { CallOptions } from "./call-options.ts";
import type { Calls } from "./calls.ts";
import { Maintenance } from "./protocol/generated/maintenance_pb.ts";

export interface Snapshots {
  /**
   * The member's whole database as a file, SHA-256 at its end: pass it through `SnapshotCheck` before trusting it. Needs
   * no quorum. A piece is over when the next is asked for: who keeps it copies it. Memory is bounded by the connection's
   * window, whatever the size. Without `timeoutMs` it may take for ever.
   */
  snapshot(options?: CallOptions): AsyncIterable<Uint8Array>;
}

export function snapshots(calls: Calls): Snapshots {
  return {
    async *snapshot(options = {}) {
      const call = { operation: "snapshot", method: Maintenance.method.snapshot };
      const stream = await calls.stream(call, options);
      stream.send({});
      stream.finishSending();
      yield* gathered(stream.messages({ isReusing: true }));
    },
  };
}

/** Etcd sends 32 KiB at a time; whatever is done per piece on the way to a store would be done too often. */
const PIECE_BYTES = 256 * 1024;

async function* gathered(messages: AsyncIterable<{ readonly blob: Uint8Array }>): AsyncGenerator<Uint8Array> {
  const piece = Buffer.allocUnsafeSlow(PIECE_BYTES);
  let filled = 0;
  for await (const { blob } of messages) {
    if (filled + blob.length > PIECE_BYTES) {
      yield piece.subarray(0, filled);
      filled = 0;
    }
    if (blob.length > PIECE_BYTES) yield blob;
    else {
      piece.set(blob, filled);
      filled += blob.length;
    }
  }
  if (filled > 0) yield piece.subarray(0, filled);
}
