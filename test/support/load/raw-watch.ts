import type { TLSSocket } from "node:tls";
import { type Access, head, openTls } from "./raw-connection.ts";

const END_OF_HEAD = Buffer.from("\r\n\r\n");
const NEW_LINE = 10;

/** A watch that hands on every line as it came. It begins at the moment it is opened, without what exists already. */
export class RawWatch {
  readonly #socket: TLSSocket;
  readonly #onLine: (line: Buffer) => void;
  #received: Buffer = Buffer.alloc(0);
  #line: Buffer = Buffer.alloc(0);
  #isOpen = false;
  #opened: () => void = () => undefined;
  failure: string | undefined;

  private constructor(socket: TLSSocket, onLine: (line: Buffer) => void) {
    this.#socket = socket;
    this.#onLine = onLine;
    socket.on("data", (chunk: Buffer) => this.#receive(chunk));
    socket.on("error", (error) => this.#fail(error.message));
    socket.on("close", () => this.#fail("the API server closed a watch"));
  }

  static async open(access: Access, path: string, onLine: (line: Buffer) => void): Promise<RawWatch> {
    const socket = await openTls(access);
    const watch = new RawWatch(socket, onLine);
    const opened = new Promise<void>((resolve) => (watch.#opened = resolve));
    socket.write(head(access, "GET", path));
    await opened;
    if (watch.failure) throw new Error(watch.failure);
    return watch;
  }

  close(): void {
    this.#socket.removeAllListeners("close");
    this.#socket.destroy();
  }

  #fail(why: string): void {
    this.failure ??= why;
    this.#opened();
  }

  #receive(chunk: Buffer): void {
    let rest = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    if (!this.#isOpen) {
      const end = rest.indexOf(END_OF_HEAD);
      this.#received = rest;
      if (end < 0) return;
      const status = rest.toString("latin1", 0, end).split("\r\n")[0] ?? "";
      if (!status.includes(" 200 ")) this.#fail(status);
      rest = rest.subarray(end + END_OF_HEAD.length);
      this.#isOpen = true;
      this.#opened();
    }
    this.#received = this.#unchunked(rest);
  }

  /** Takes whole chunks of the transfer encoding; the answer is what is left. */
  #unchunked(bytes: Buffer): Buffer {
    let rest = bytes;
    for (;;) {
      const endOfSize = rest.indexOf("\r\n");
      if (endOfSize < 0) return rest;
      const size = Number.parseInt(rest.toString("latin1", 0, endOfSize), 16);
      const end = endOfSize + 2 + size;
      if (rest.length < end + 2) return rest;
      this.#lines(rest.subarray(endOfSize + 2, end));
      rest = rest.subarray(end + 2);
    }
  }

  #lines(chunk: Buffer): void {
    let rest = this.#line.length === 0 ? chunk : Buffer.concat([this.#line, chunk]);
    for (let end = rest.indexOf(NEW_LINE); end >= 0; end = rest.indexOf(NEW_LINE)) {
      this.#onLine(rest.subarray(0, end));
      rest = rest.subarray(end + 1);
    }
    this.#line = rest;
  }
}
