/** A frame of SPDY/3, as far as tunnels use them; what they do not need is "other". */
export type Frame =
  | { readonly kind: "data"; readonly streamId: number; readonly isLast: boolean; readonly data: Buffer }
  /** A stream is opened by the other side. */
  | { readonly kind: "open"; readonly streamId: number; readonly isLast: boolean; readonly block: Buffer }
  /** Further headers. They mean nothing here, but the blocks after them build on them. */
  | { readonly kind: "headers"; readonly streamId: number; readonly block: Buffer }
  | { readonly kind: "reset"; readonly streamId: number }
  | { readonly kind: "ping"; readonly id: number }
  | { readonly kind: "go-away" }
  | { readonly kind: "other" };

const TYPE = { open: 1, reply: 2, reset: 3, ping: 6, goAway: 7, headers: 8 } as const;
const CONTROL = 0x8003;
const FINAL = 0x01;
const HEAD_BYTES = 8;
const MAX_CONTROL_BYTES = 64 * 1024;

export class SpdyError extends Error {
  override readonly name = "SpdyError";
}

/** Cuts what arrives into frames. */
export class FrameReader {
  #pending: Buffer = Buffer.alloc(0);

  push(chunk: Buffer): Frame[] {
    let rest = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
    const frames: Frame[] = [];
    while (rest.length >= HEAD_BYTES) {
      const length = rest.readUIntBE(5, 3);
      const isControl = (rest[0] ?? 0) >= 0x80;
      if (isControl && rest.readUInt16BE(0) !== CONTROL) throw new SpdyError("a frame of an unknown version");
      if (isControl && length > MAX_CONTROL_BYTES) throw new SpdyError("a control frame that is too long");
      if (rest.length < HEAD_BYTES + length) break;
      const body = rest.subarray(HEAD_BYTES, HEAD_BYTES + length);
      frames.push(isControl ? controlFrame(rest, body) : dataFrame(rest, body));
      rest = rest.subarray(HEAD_BYTES + length);
    }
    this.#pending = rest;
    return frames;
  }
}

function dataFrame(head: Buffer, data: Buffer): Frame {
  return { kind: "data", streamId: head.readUInt32BE(0), isLast: isFinal(head), data };
}

function controlFrame(head: Buffer, body: Buffer): Frame {
  const type = head.readUInt16BE(2);
  const number = () => {
    if (body.length < 4) throw new SpdyError(`a frame of type ${type} that is too short`);
    return body.readUInt32BE(0) & 0x7fffffff;
  };
  switch (type) {
    case TYPE.open:
      // After the stream's id there are that of another and a priority, which tunnels do not use.
      return { kind: "open", streamId: number(), isLast: isFinal(head), block: body.subarray(10) };
    case TYPE.reply:
    case TYPE.headers:
      return { kind: "headers", streamId: number(), block: body.subarray(4) };
    case TYPE.reset:
      return { kind: "reset", streamId: number() };
    case TYPE.ping:
      return { kind: "ping", id: number() };
    case TYPE.goAway:
      return { kind: "go-away" };
    default:
      return { kind: "other" };
  }
}

function isFinal(head: Buffer): boolean {
  return ((head[4] ?? 0) & FINAL) !== 0;
}

export function dataBytes(streamId: number, data: Buffer, isLast: boolean): Buffer {
  const bytes = Buffer.allocUnsafe(HEAD_BYTES + data.length);
  bytes.writeUInt32BE(streamId, 0);
  bytes.writeUInt32BE(data.length, 4);
  bytes[4] = isLast ? FINAL : 0;
  data.copy(bytes, HEAD_BYTES);
  return bytes;
}

/** For tests, which are the other side. */
export function openBytes(streamId: number, block: Buffer): Buffer {
  const body = Buffer.alloc(10);
  body.writeUInt32BE(streamId);
  return controlBytes(TYPE.open, Buffer.concat([body, block]));
}

export function replyBytes(streamId: number, block: Buffer): Buffer {
  return controlBytes(TYPE.reply, Buffer.concat([numbers(streamId), block]));
}

// The status of a stream that whoever sends this no longer wants.
const CANCEL = 5;

export function resetBytes(streamId: number): Buffer {
  return controlBytes(TYPE.reset, numbers(streamId, CANCEL));
}

export function pingBytes(id: number): Buffer {
  return controlBytes(TYPE.ping, numbers(id));
}

export function goAwayBytes(lastStreamId: number): Buffer {
  return controlBytes(TYPE.goAway, numbers(lastStreamId, 0));
}

function controlBytes(type: number, body: Buffer): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt16BE(CONTROL, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt32BE(body.length, 4);
  return Buffer.concat([head, body]);
}

function numbers(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, 4 * index);
  return bytes;
}
