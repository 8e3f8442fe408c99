import type { ServerResponse } from "node:http";
import type { EventPace } from "./event-pace.ts";

// How long what happens may gather, while much does, for a client that was sent something just now.
const GATHER_MS = 20;
const GATHER_BYTES = 256 * 1024;

// A client that does not read is cut off, before what waits for it fills the memory.
const MAX_WAITING_BYTES = 64 * 1024 * 1024;

/** Lines of an answer that goes on for long. Each write costs encryption and a call of the kernel, so those of a moment share one. */
export class BatchedLines {
  readonly #response: ServerResponse;
  readonly #pace: Pick<EventPace, "isBusy">;
  #lines: Buffer[] = [];
  #bytes = 0;
  #sentAt = Number.NEGATIVE_INFINITY;

  constructor(response: ServerResponse, pace: Pick<EventPace, "isBusy">) {
    this.#response = response;
    this.#pace = pace;
  }

  add(line: Buffer): void {
    this.#lines.push(line);
    this.#bytes += line.length;
    if (this.#bytes > GATHER_BYTES) this.flush();
    else if (this.#lines.length === 1) this.#schedule();
  }

  /** Sends what there is. */
  flush(): void {
    const [lines, bytes] = [this.#lines, this.#bytes];
    if (lines.length === 0) return;
    this.#lines = [];
    this.#bytes = 0;
    this.#sentAt = performance.now();
    const { socket, chunkedEncoding, headersSent } = this.#response;
    // Node would hand a chunk on in four pieces.
    if (socket && chunkedEncoding && headersSent) socket.write(chunkOf(lines, bytes));
    else this.#response.write(Buffer.concat(lines, bytes));
    if ((socket ?? this.#response).writableLength > MAX_WAITING_BYTES) this.#response.destroy();
  }

  #schedule(): void {
    if (this.#pace.isBusy && performance.now() - this.#sentAt < GATHER_MS) soon(this);
    else process.nextTick(() => this.flush());
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

// One timer for all of them: hundreds of watches would otherwise set thousands of timers a second.
const gathering = new Set<BatchedLines>();

function soon(lines: BatchedLines): void {
  if (gathering.size === 0) setTimeout(flushAll, GATHER_MS);
  gathering.add(lines);
}

function flushAll(): void {
  const due = [...gathering];
  gathering.clear();
  for (const lines of due) lines.flush();
}
