import type { OutgoingHttpHeaders } from "node:http";
import { Writable } from "node:stream";

type Headers = Record<string, string | string[]>;

/** What a handler of requests writes its answer to, when the client is in the same process. */
export class InProcessResponse extends Writable {
  statusCode = 200;
  headersSent = false;
  readonly answered: Promise<void>;
  readonly headers: Headers = {};
  readonly #chunks: Uint8Array[] = [];
  #begin: () => void = () => undefined;
  #wake: () => void = () => undefined;

  constructor() {
    super({ decodeStrings: true });
    this.answered = new Promise((resolve) => {
      this.#begin = resolve;
    });
    this.once("close", () => {
      this.#begin();
      this.#wake();
    });
  }

  setHeader(name: string, value: number | string | readonly string[]): this {
    this.headers[name.toLowerCase()] = typeof value === "object" ? [...value] : String(value);
    return this;
  }

  getHeader(name: string): string | string[] | undefined {
    return this.headers[name.toLowerCase()];
  }

  writeHead(statusCode: number, headers: OutgoingHttpHeaders = {}): this {
    this.statusCode = statusCode;
    for (const [name, value] of Object.entries(headers)) if (value !== undefined) this.setHeader(name, value);
    this.flushHeaders();
    return this;
  }

  flushHeaders(): void {
    this.headersSent = true;
    this.#begin();
  }

  /** What was written, as it comes; throws when the answer breaks off. */
  async *body(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const chunk = this.#chunks.shift();
      if (chunk) yield chunk;
      else if (this.writableFinished) return;
      else if (this.destroyed) throw new Error("the connection was closed");
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }

  override _write(chunk: Uint8Array, _encoding: BufferEncoding, done: () => void): void {
    this.flushHeaders();
    this.#chunks.push(chunk);
    this.#wake();
    done();
  }

  override _final(done: () => void): void {
    this.flushHeaders();
    done();
    process.nextTick(() => this.#wake());
  }
}
