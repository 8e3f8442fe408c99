import type { CallOptions } from "../call-options.ts";
import type { Calls } from "../calls.ts";
import { toEtcdError } from "../error-codes.ts";
import { GrpcFailure, GrpcStatus } from "../grpc/grpc-failure.ts";
import { Maintenance } from "../protocol/generated/maintenance_pb.ts";

export interface Snapshots {
  /**
   * The member's whole database as a file, SHA-256 at its end: pass it through `SnapshotCheck` before trusting it.
   * Needs no quorum. A piece is over when the next is asked for: who keeps it copies it. Memory is bounded by the
   * connection's window, whatever the size. Without `timeoutMs` it may take for ever.
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
      try {
        yield* gathered(stream.messages({ isReusing: true }));
      } catch (error) {
        if (error instanceof GrpcFailure) stream.refuse(error);
        throw toEtcdError(error, call.operation, calls.endpoint);
      }
    },
  };
}

/** Etcd sends 32 KiB at a time; whatever is done per piece on the way to a store would be done too often. */
const PIECE_BYTES = 256 * 1024;
/** Eight make a piece of etcd's; one who sends next to nothing in each only keeps the process busy. */
const MOST_MESSAGES_PER_PIECE = 4_096;

async function* gathered(messages: AsyncIterable<{ readonly blob: Uint8Array }>): AsyncGenerator<Uint8Array> {
  const piece = Buffer.allocUnsafeSlow(PIECE_BYTES);
  let [filled, count] = [0, 0];
  for await (const { blob } of messages) {
    count += 1;
    if (count > MOST_MESSAGES_PER_PIECE)
      throw new GrpcFailure(
        GrpcStatus.internal,
        `${count} messages of its snapshot hold less than ${PIECE_BYTES} bytes`,
      );
    if (filled + blob.length > PIECE_BYTES) {
      if (filled > 0) yield piece.subarray(0, filled);
      [filled, count] = [0, 0];
    }
    if (blob.length > PIECE_BYTES) yield blob;
    else {
      piece.set(blob, filled);
      filled += blob.length;
    }
  }
  if (filled > 0) yield piece.subarray(0, filled);
}
