import { Duplex } from "node:stream";
import type { WebSocket } from "ws";

// The channel on which version 5 of the protocol says that another one has ended.
const CLOSING = 255;

/**
 * The channels of a WebSocket of `*.channel.k8s.io`: the first byte of a message says which one it belongs to. A
 * channel is a stream that waits when the other side is slow.
 */
export class ChannelSocket {
  readonly #socket: WebSocket;
  readonly #channels = new Map<number, Channel>();

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on("message", (data: Buffer) => this.#receive(data[0] ?? CLOSING, data.subarray(1)));
    socket.once("close", () => {
      for (const channel of this.#channels.values()) channel.destroy();
    });
  }

  channel(number: number): Duplex {
    const known = this.#channels.get(number);
    if (known) return known;
    const made = new Channel(this.#socket, number);
    this.#channels.set(number, made);
    return made;
  }

  /** Ends the connection after what was written. */
  close(): void {
    this.#socket.close(1000);
  }

  #receive(number: number, data: Buffer): void {
    if (number === CLOSING) this.#channels.get(data[0] ?? CLOSING)?.receive(null);
    else if (data.length > 0) this.#channels.get(number)?.receive(data);
  }
}

class Channel extends Duplex {
  readonly #socket: WebSocket;
  readonly #number: Buffer;

  constructor(socket: WebSocket, number: number) {
    super({ autoDestroy: false });
    this.#socket = socket;
    this.#number = Buffer.of(number);
    this.on("error", () => undefined);
  }

  receive(data: Buffer | null): void {
    if (this.destroyed || this.readableEnded) return;
    if (!this.push(data) && data) this.#socket.pause();
  }

  override _read(): void {
    if (this.#socket.isPaused) this.#socket.resume();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    // A stream that is not read any more must not hold up the others.
    if (this.#socket.isPaused && this.#socket.readyState === this.#socket.OPEN) this.#socket.resume();
    done(error);
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    const isOpen = this.#socket.readyState === this.#socket.OPEN;
    if (isOpen) this.#socket.send(Buffer.concat([this.#number, chunk]), done);
    else done(new Error("the connection is closed"));
  }
}
