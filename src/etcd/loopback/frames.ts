/** The frames of HTTP/2 (RFC 9113, section 6) that a client of gRPC meets. */
export const FrameType = {
  data: 0,
  headers: 1,
  reset: 3,
  settings: 4,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

export const Flag = { endStream: 1, ack: 1, endHeaders: 4, padded: 8, priority: 0x20 } as const;

export const Setting = { headerTableSize: 1, enablePush: 2, maxStreams: 3, initialWindow: 4 } as const;

export const CANCEL = 8;

export const FRAME_HEADER_BYTES = 9;

/** What a peer may send that was not told otherwise (RFC 9113, section 4.2). */
const LARGEST_FRAME_BYTES = 16_384;

export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  /** A view, over when the frame is handled. */
  readonly payload: Buffer;
}

/** Writes the nine bytes before a frame's payload. */
export function writeFrameHeader(into: Buffer, at: number, { type, flags, stream, length }: FrameHeader): void {
  into.writeUIntBE(length, at, 3);
  into[at + 3] = type;
  into[at + 4] = flags;
  into.writeUInt32BE(stream, at + 5);
}

interface FrameHeader extends Omit<Frame, "payload"> {
  readonly length: number;
}

export function frameBytes(type: number, flags: number, stream: number, payload: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(FRAME_HEADER_BYTES + payload.length);
  writeFrameHeader(bytes, 0, { type, flags, stream, length: payload.length });
  bytes.set(payload, FRAME_HEADER_BYTES);
  return bytes;
}

export function settingsFrame(settings: readonly (readonly [setting: number, value: number])[]): Buffer {
  const payload = Buffer.alloc(6 * settings.length);
  for (const [index, [setting, value]] of settings.entries()) {
    payload.writeUInt16BE(setting, 6 * index);
    payload.writeUInt32BE(value, 6 * index + 2);
  }
  return frameBytes(FrameType.settings, 0, 0, payload);
}

/** A frame whose payload is one number. */
export function numberFrame(type: number, stream: number, value: number): Buffer {
  const payload = Buffer.alloc(4);
  payload.writeUInt32BE(value);
  return frameBytes(type, 0, stream, payload);
}

/** Cuts what comes in into frames. */
export class FrameReader {
  readonly #onFrame: (frame: Frame) => void;
  #rest: Buffer = Buffer.alloc(0);

  constructor(onFrame: (frame: Frame) => void) {
    this.#onFrame = onFrame;
  }

  /** `chunk` is copied where it has to stay. */
  push(chunk: Buffer): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let at = 0;
    while (bytes.length - at >= FRAME_HEADER_BYTES) {
      const length = bytes.readUIntBE(at, 3);
      if (length > LARGEST_FRAME_BYTES) throw new Error(`the server sent a frame of ${length} bytes`);
      const end = at + FRAME_HEADER_BYTES + length;
      if (end > bytes.length) break;
      this.#onFrame({
        type: bytes[at + 3] ?? 0,
        flags: bytes[at + 4] ?? 0,
        stream: bytes.readUInt32BE(at + 5) & 0x7fff_ffff,
        payload: bytes.subarray(at + FRAME_HEADER_BYTES, end),
      });
      at = end;
    }
    this.#rest = at === bytes.length ? NOTHING : Buffer.from(bytes.subarray(at));
  }
}

const NOTHING = Buffer.alloc(0);

/** What a DATA or HEADERS frame carries, without the padding and the priority that may stand around it. */
export function contentOf({ type, flags, payload }: Frame): Buffer {
  const padding = flags & Flag.padded ? 1 + (payload[0] ?? 0) : 0;
  const priority = type === FrameType.headers && flags & Flag.priority ? 5 : 0;
  if (padding === 0 && priority === 0) return payload;
  return payload.subarray((padding > 0 ? 1 : 0) + priority, payload.length - Math.max(0, padding - 1));
}
