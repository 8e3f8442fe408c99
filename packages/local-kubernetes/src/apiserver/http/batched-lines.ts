import type { ServerResponse } from "node:http";

const GATHER_BYTES = 256 * 1024;

// A client that does not read is cut off, before what waits for it fills the memory.
const MAX_WAITING_BYTES = 64 * 1024 * 1024;

/**
 * Lines of an answer that goes on for long. Each write costs encryption and a call of the kernel, so those of a moment
 * share one.
 */
export class BatchedLines {
  readonly #response: ServerResponse;
  #lines: Buffer[] = [];
  #bytes = 0;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  add(line: Buffer): void {
    this.#lines.push(line);
    this.#bytes += line.length;
    if (this.#bytes > GATHER_BYTES) this.flush();
    else if (this.#lines.length === 1) process.nextTick(() => this.flush());
  }

  /** Sends what there is. */
  flush(): void {
    const [lines, bytes] = [this.#lines, this.#bytes];
    if (lines.length === 0) return;
    this.#lines = [];
    this.#bytes = 0;
    const { socket, chunkedEncoding, headersSent } = this.#response;
    // Node would hand a chunk on in four pieces.
    if (socket && chunkedEncoding && headersSent) socket.write(chunkOf(lines, bytes));
    else this.#response.write(Buffer.concat(lines, bytes));
    if ((socket ?? this.#response).writableLength > MAX_WAITING_BYTES) this.#response.destroy();
  }
}

/** One chunk of the transfer encoding. */
function chunkOf(lines: readonly Buffer[], bytes: number): Buffer {
  const size = `${bytes.toString(16)}\r\n`;
  const chunk = Buffer.allocUnsafe(size.length + bytes + 2);
  chunk.write(size, "latin1");
  let at = size.length;
  for (const line of lines) {
    chunk.set(line, at);
    at += line.length;
  }
  chunk.write("\r\n", at, "latin1");
  return chunk;
}
