import { type ClientHttp2Stream, constants } from "node:http2";
import { AnswerStatus } from "./answer-status.ts";
import { FrameSplitter, frame, MOST_MESSAGE_BYTES } from "./frame.ts";
import { canceledBy, connectionLost, GrpcFailure, GrpcStatus } from "./grpc-failure.ts";
import { enforce, type Limits, timeoutHeader } from "./limits.ts";
import type { Session } from "./session.ts";

/** A call with many messages in either direction. Messages are read as fast as they are consumed, not faster. */
export class StreamingCall {
  readonly #stream: ClientHttp2Stream;
  readonly #session: Session;
  readonly #mostBytes: number;
  readonly #status: AnswerStatus;
  readonly #release: () => void;
  #givenUp: GrpcFailure | undefined;

  constructor(session: Session, path: string, limits: Limits, headers: Readonly<Record<string, string>> = {}) {
    if (limits.signal?.aborted) throw canceledBy(limits.signal);
    this.#session = session;
    this.#mostBytes = limits.mostBytes ?? MOST_MESSAGE_BYTES;
    this.#stream = session.request(path, { ...headers, ...timeoutHeader(limits) });
    this.#status = new AnswerStatus(this.#stream);
    // Reading reports errors; one that comes while there is no reader must not end the process.
    this.#stream.on("error", () => {});
    this.#release = enforce(this.#stream, limits, (why) => {
      this.#givenUp ??= why;
    });
  }

  send(message: Uint8Array): void {
    if (this.#stream.writable) this.#stream.write(frame(message));
  }

  /** Says that no further message will be sent. */
  finishSending(): void {
    this.#stream.end();
  }

  /** Ends the call; its reader gets `why`. */
  cancel(why: GrpcFailure): void {
    this.#givenUp ??= why;
    this.#stream.close(constants.NGHTTP2_CANCEL);
  }

  /** Ends the connection, too: a server that breaks the protocol may go on sending on a stream that is closed. */
  refuse(why: GrpcFailure): void {
    this.#session.close(why.status, why.message);
  }

  /** @param options of the `FrameSplitter` */
  async *messages(options: { readonly isReusing?: boolean } = {}): AsyncGenerator<Uint8Array, void, undefined> {
    const splitter = new FrameSplitter({ ...options, mostBytes: this.#mostBytes });
    try {
      for await (const chunk of this.#stream) yield* splitter.push(chunk);
    } catch (error) {
      // Of the splitter's.
      if (error instanceof GrpcFailure) this.refuse(error);
      if (!this.#status.isKnown) throw this.#givenUp ?? connectionLost(error);
    } finally {
      this.#release();
      if (!this.#stream.closed) this.#stream.close(constants.NGHTTP2_CANCEL);
    }
    const failure = this.#givenUp ?? this.#status.failure;
    if (failure) throw failure;
    if (!splitter.isComplete) throw new GrpcFailure(GrpcStatus.internal, "the stream ended inside a message");
  }
}
