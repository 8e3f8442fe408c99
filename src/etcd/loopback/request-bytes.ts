import { Flag, FRAME_HEADER_BYTES, FrameType, writeFrameHeader } from "./frames.ts";

const MESSAGE_HEADER_BYTES = 5;

/** How much of the window of its stream a message takes. */
export function sizeOnStream(message: Uint8Array): number {
  return message.length + MESSAGE_HEADER_BYTES;
}

/** The two frames that begin a call, with its first message. `flags` are those of the second. */
export function requestBytes(stream: number, block: Buffer, message: Uint8Array, flags: number): Buffer {
  const dataAt = FRAME_HEADER_BYTES + block.length;
  const prefixAt = dataAt + FRAME_HEADER_BYTES;
  const length = sizeOnStream(message);
  const bytes = Buffer.allocUnsafe(prefixAt + length);
  writeFrameHeader(bytes, 0, { type: FrameType.headers, flags: Flag.endHeaders, stream, length: block.length });
  bytes.set(block, FRAME_HEADER_BYTES);
  writeFrameHeader(bytes, dataAt, { type: FrameType.data, flags, stream, length });
  bytes[prefixAt] = 0;
  bytes.writeUInt32BE(message.length, prefixAt + 1);
  bytes.set(message, prefixAt + MESSAGE_HEADER_BYTES);
  return bytes;
}
