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
      for await (const { blob } of stream.messages({ isReusing: true })) yield blob;
    },
  };
}
