/** The frames of HTTP/2 (RFC 9113, section 6) that lies are told in. */
export const FrameType = { data: 0, headers: 1, settings: 4, ping: 6, continuation: 9 } as const;

export const Flag = { endHeaders: 4 } as const;

const FRAME_HEADER_BYTES = 9;

export function frameBytes(type: number, flags: number, stream: number, payload: Uint8Array): Buffer {
  const bytes = Buffer.alloc(FRAME_HEADER_BYTES + payload.length);
  bytes.writeUIntBE(payload.length, 0, 3);
  bytes[3] = type;
  bytes[4] = flags;
  bytes.writeUInt32BE(stream, 5);
  bytes.set(payload, FRAME_HEADER_BYTES);
  return bytes;
}

export function emptySettings(): Buffer {
  return frameBytes(FrameType.settings, 0, 0, Buffer.alloc(0));
}
