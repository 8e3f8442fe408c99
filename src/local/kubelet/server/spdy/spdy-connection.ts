import { Duplex } from "node:stream";
import { dataBytes, type Frame, FrameReader, goAwayBytes, pingBytes, replyBytes, resetBytes } from "./frame.ts";
import { HeaderReader, type Headers, HeaderWriter } from "./header-block.ts";

// SPDY's own windows are not used by Kubernetes: who is slow holds up the whole connection, but not for less than this.
const UNREAD_BYTES = 1024 * 1024;

/**
 * The server's side of SPDY/3.1 as Kubernetes speaks it: the client opens streams with a few headers, both sides send and end
 * each of them on their own. It runs over whatever carries bytes in both directions, a socket or a tunnel in a WebSocket.
 */
export class SpdyConnection {
  readonly #transport: Duplex;
  readonly #onStream: (stream: SpdyStream) => void;
  readonly #streams = new Map<number, SpdyStream>();
  readonly #headers = { reader: new HeaderReader(), writer: new HeaderWriter() };
  #lastStreamId = 0;

  /** `onStream` may destroy a stream it does not want, which tells the client so. */
  constructor(transport: Duplex, onStream: (stream: SpdyStream) => void) {
    this.#transport = transport;
    this.#onStream = onStream;
    transport.on("error", () => undefined);
  }

  /** Serves until either side has closed the connection; nothing of it is left then. Rejects if the client makes no sense. */
  async run(): Promise<void> {
    const reader = new FrameReader();
    let nonsense: unknown;
    try {
      for await (const chunk of this.#transport as AsyncIterable<Buffer>) {
        try {
          for (const frame of reader.push(chunk)) await this.#receive(frame);
        } catch (error) {
          nonsense = error;
          break;
        }
      }
    } catch {
      // A connection that breaks has ended.
    } finally {
      for (const stream of this.#streams.values()) stream.abandon();
      this.#transport.destroy();
      this.#headers.reader.close();
    }
    if (nonsense !== undefined) throw nonsense;
  }

  /** Says goodbye and closes; what was written before still arrives. */
  close(): void {
    if (!this.#transport.writable) return;
    this.#transport.end(goAwayBytes(this.#lastStreamId));
  }

  /** For streams. */
  send(frame: Buffer, done?: (error?: Error | null) => void): void {
    if (this.#transport.writable) this.#transport.write(frame, done);
    else done?.(new Error("the connection is closed"));
  }

  forget(streamId: number): void {
    this.#streams.delete(streamId);
  }

  async #receive(frame: Frame): Promise<void> {
    switch (frame.kind) {
      case "open":
        return this.#open(frame.streamId, await this.#headers.reader.read(frame.block), frame.isLast);
      case "headers":
        await this.#headers.reader.read(frame.block);
        return;
      case "data":
        return this.#streams.get(frame.streamId)?.receive(frame.data, frame.isLast);
      case "reset":
        return this.#streams.get(frame.streamId)?.abandon();
      case "ping":
        return this.send(pingBytes(frame.id));
      case "go-away":
        return this.close();
      case "other":
        return;
    }
  }

  async #open(streamId: number, headers: Headers, isLast: boolean): Promise<void> {
    const stream = new SpdyStream(this, streamId, headers);
    this.#streams.set(streamId, stream);
    this.#lastStreamId = streamId;
    this.#onStream(stream);
    if (stream.destroyed) return;
    this.send(replyBytes(streamId, this.#headers.writer.write(new Map())));
    if (isLast) await stream.receive(Buffer.alloc(0), true);
  }
}

/** One stream; each direction ends on its own. Destroying it before both have ended resets it. */
export class SpdyStream extends Duplex {
  readonly id: number;
  readonly headers: Headers;
  readonly #connection: SpdyConnection;
  #isOver = false;
  #goOn: () => void = () => undefined;

  constructor(connection: SpdyConnection, id: number, headers: Headers) {
    super({ readableHighWaterMark: UNREAD_BYTES });
    this.#connection = connection;
    this.id = id;
    this.headers = headers;
    this.on("error", () => undefined);
  }

  /** Takes what the client sent; waits while too much of it is unread. */
  async receive(data: Buffer, isLast: boolean): Promise<void> {
    if (this.destroyed || this.readableEnded) return;
    const isFull = data.length > 0 && !this.push(data);
    if (isLast) this.push(null);
    else if (isFull) await new Promise<void>((resolve) => (this.#goOn = resolve));
  }

  /** Ends without a word to the client, who has done with it. */
  abandon(): void {
    this.#isOver = true;
    this.destroy();
  }

  override _read(): void {
    this.#goOn();
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.#connection.send(dataBytes(this.id, chunk, false), done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#connection.send(dataBytes(this.id, Buffer.alloc(0), true), done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    const isEnded = this.readableEnded && this.writableFinished;
    if (!this.#isOver && !isEnded) this.#connection.send(resetBytes(this.id));
    this.#isOver = true;
    this.#connection.forget(this.id);
    this.#goOn();
    done(error);
  }
}
