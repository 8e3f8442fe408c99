import { GrpcFailure, GrpcStatus } from "./grpc-failure.ts";

// gRPC puts five bytes before each message: a compression flag and the length. No compression is ever offered, so none
// may come.
const HEADER_BYTES = 5;

/**
 * How large a message may be unless a caller says otherwise. etcd takes no request above 1.5 MiB by default, and a
 * piece of a snapshot has 32 KiB. What a server announces beyond that is refused before memory is set aside for it.
 */
export const MOST_MESSAGE_BYTES = 4 << 20;

/** A message as it travels. */
export function frame(message: Uint8Array): Buffer {
  const framed = Buffer.allocUnsafe(HEADER_BYTES + message.length);
  framed[0] = 0;
  framed.writeUInt32BE(message.length, 1);
  framed.set(message, HEADER_BYTES);
  return framed;
}

export interface SplitterOptions {
  /** Whether a message is over when the next is asked for: gigabytes then pass through the same few kilobytes. */
  readonly isReusing?: boolean;
  readonly mostBytes?: number;
}

/**
 * Cuts a byte stream back into messages. Each message is a copy of its own: Node hands out views into 64 KiB socket
 * buffers, and a caller that keeps one small value must not keep all that alive.
 */
export class FrameSplitter {
  readonly #header = Buffer.alloc(HEADER_BYTES);
  readonly #isReusing: boolean;
  readonly #mostBytes: number;
  #spare = Buffer.alloc(0);
  #headerFilled = 0;
  #body: Buffer | undefined;
  #bodyFilled = 0;

  constructor({ isReusing = false, mostBytes = MOST_MESSAGE_BYTES }: SplitterOptions = {}) {
    this.#isReusing = isReusing;
    this.#mostBytes = mostBytes;
  }

  *push(chunk: Uint8Array): Generator<Uint8Array, void, undefined> {
    let offset = 0;
    while (offset < chunk.length) {
      offset = this.#body === undefined ? this.#readHeader(chunk, offset) : this.#readBody(chunk, offset, this.#body);
      if (this.#body !== undefined && this.#bodyFilled === this.#body.length) yield this.#take(this.#body);
    }
  }

  /** True when the stream stopped between messages, not inside one. */
  get isComplete(): boolean {
    return this.#body === undefined && this.#headerFilled === 0;
  }

  #readHeader(chunk: Uint8Array, offset: number): number {
    const part = chunk.subarray(offset, offset + HEADER_BYTES - this.#headerFilled);
    this.#header.set(part, this.#headerFilled);
    this.#headerFilled += part.length;
    if (this.#headerFilled === HEADER_BYTES) this.#body = this.#bodyOf(bodyLength(this.#header, this.#mostBytes));
    return offset + part.length;
  }

  #readBody(chunk: Uint8Array, offset: number, body: Buffer): number {
    const part = chunk.subarray(offset, offset + body.length - this.#bodyFilled);
    body.set(part, this.#bodyFilled);
    this.#bodyFilled += part.length;
    return offset + part.length;
  }

  #bodyOf(length: number): Buffer {
    if (!this.#isReusing) return Buffer.allocUnsafe(length);
    if (this.#spare.length < length) this.#spare = Buffer.allocUnsafeSlow(length);
    return this.#spare.subarray(0, length);
  }

  #take(body: Buffer): Uint8Array {
    this.#body = undefined;
    this.#bodyFilled = 0;
    this.#headerFilled = 0;
    return body;
  }
}

function bodyLength(header: Buffer, mostBytes: number): number {
  if (header[0] !== 0) throw new GrpcFailure(GrpcStatus.internal, "the server sent a compressed message, unasked");
  const length = header.readUInt32BE(1);
  if (length <= mostBytes) return length;
  throw new GrpcFailure(
    GrpcStatus.resourceExhausted,
    `the server announced ${length} bytes, and its answer is larger than the limit of ${mostBytes} bytes`,
  );
}
