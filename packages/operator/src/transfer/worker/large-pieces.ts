import { alignedBuffers, WRITE_BYTES as PIECE_BYTES } from "@etcd-operator/object-store";

/**
 * Gathers small chunks into pieces that are worth a write, in two alternating buffers: a piece is reused when the
 * second after it is requested.
 */
export async function* inLargePieces(
  source: AsyncIterable<Uint8Array>,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Buffer, void, undefined> {
  let [filling, resting] = alignedBuffers(PIECE_BYTES);
  let [filled, bytes] = [0, 0];
  for await (const chunk of source) {
    for (let at = 0; at < chunk.length; ) {
      const part = chunk.subarray(at, at + PIECE_BYTES - filled);
      filling.set(part, filled);
      filled += part.length;
      at += part.length;
      if (filled < PIECE_BYTES) continue;
      yield filling;
      [filling, resting, filled] = [resting, filling, 0];
    }
    bytes += chunk.length;
    onBytes(bytes);
  }
  if (filled > 0) yield filling.subarray(0, filled);
}
