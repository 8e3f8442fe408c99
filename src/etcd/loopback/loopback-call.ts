import { decodeMessage } from "../grpc/answer-status.ts";
import { FrameSplitter } from "../grpc/frame.ts";
import { connectionLost, GrpcFailure, GrpcStatus } from "../grpc/grpc-failure.ts";

/** What a session does with what comes back for a call. */
export interface LoopbackCall {
  /** When nobody waits any longer, by `performance.now()`; infinite: never. */
  readonly deadlineAt: number;
  /** Bytes that the sender does not know to be taken yet. */
  unreported: number;
  /** `bytes` is a view, over when this returns. */
  data(bytes: Buffer): void;
  fields(fields: ReadonlyMap<string, string>): void;
  /** Nothing more comes. */
  end(): void;
  fail(failure: GrpcFailure): void;
}

/** One question, one answer. */
export class UnaryCall implements LoopbackCall {
  readonly deadlineAt: number;
  readonly #resolve: (message: Buffer) => void;
  readonly #reject: (failure: GrpcFailure) => void;
  readonly #status = new CallStatus();
  readonly #mostBytes: number;
  #answer: Buffer | undefined;
  #splitter: FrameSplitter | undefined;
  unreported = 0;

  constructor(
    { deadlineAt, mostBytes }: { readonly deadlineAt: number; readonly mostBytes: number },
    resolve: (message: Buffer) => void,
    reject: (failure: GrpcFailure) => void,
  ) {
    this.deadlineAt = deadlineAt;
    this.#mostBytes = mostBytes;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  data(bytes: Buffer): void {
    // Nearly every answer is one small message in one piece.
    const length = bytes.length - 5;
    const isWhole = !this.#splitter && length >= 0 && bytes[0] === 0 && bytes.readUInt32BE(1) === length;
    if (isWhole && length <= this.#mostBytes) {
      this.#take(Buffer.from(bytes.subarray(5)));
      return;
    }
    this.#splitter ??= new FrameSplitter({ mostBytes: this.#mostBytes });
    for (const message of this.#splitter.push(bytes)) this.#take(asBuffer(message));
  }

  #take(message: Buffer): void {
    if (this.#answer) throw new GrpcFailure(GrpcStatus.internal, "expected one message, got more");
    this.#answer = message;
  }

  fields(fields: ReadonlyMap<string, string>): void {
    this.#status.read(fields);
  }

  end(): void {
    const { failure } = this.#status;
    if (failure) this.#reject(failure);
    else if (this.#answer) this.#resolve(this.#answer);
    else this.#reject(new GrpcFailure(GrpcStatus.internal, "expected one message, got none"));
  }

  fail(failure: GrpcFailure): void {
    this.#reject(failure);
  }
}

/** Many answers, each told as soon as it is there. */
export class StreamCall implements LoopbackCall {
  readonly deadlineAt = Number.POSITIVE_INFINITY;
  readonly #onMessage: (message: Buffer) => void;
  readonly #onEnd: (failure: GrpcFailure) => void;
  readonly #splitter: FrameSplitter;
  readonly #status = new CallStatus();
  unreported = 0;

  constructor(mostBytes: number, onMessage: (message: Buffer) => void, onEnd: (failure: GrpcFailure) => void) {
    this.#splitter = new FrameSplitter({ mostBytes });
    this.#onMessage = onMessage;
    this.#onEnd = onEnd;
  }

  data(bytes: Buffer): void {
    for (const message of this.#splitter.push(bytes)) this.#onMessage(asBuffer(message));
  }

  fields(fields: ReadonlyMap<string, string>): void {
    this.#status.read(fields);
  }

  end(): void {
    this.#onEnd(this.#status.failure ?? connectionLost(new Error("the server ended the call")));
  }

  fail(failure: GrpcFailure): void {
    this.#onEnd(failure);
  }
}

/** The status that ends a call, of headers or trailers. */
class CallStatus {
  #status: number | undefined;
  #message = "";

  get failure(): GrpcFailure | undefined {
    if (this.#status === 0) return undefined;
    if (this.#status !== undefined) return new GrpcFailure(this.#status, this.#message);
    return new GrpcFailure(GrpcStatus.unavailable, "the connection was closed before the answer was complete");
  }

  read(fields: ReadonlyMap<string, string>): void {
    const status = fields.get("grpc-status");
    const httpStatus = fields.get(":status") ?? "200";
    if (status !== undefined) {
      this.#status = Number(status);
      this.#message = decodeMessage(fields.get("grpc-message"));
    } else if (httpStatus !== "200") {
      this.#status = GrpcStatus.unavailable;
      this.#message = `the server answered HTTP ${httpStatus}; is this an etcd client port?`;
    }
  }
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
