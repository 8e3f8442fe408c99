import type { Socket } from "node:net";
import { gzipSync } from "node:zlib";
import type { Lie, Spent } from "../play.ts";
import { dribble, pour, repeated } from "../poured.ts";

/** How a server of HTTP lies: it writes to the socket what no library would let it. */
export interface HttpLie extends Lie {
  tell(to: Socket, request: LiedTo): void;
}

export interface LiedTo {
  readonly url: string;
  readonly filler: string;
  readonly spent: Spent;
}

/** What a limit, a silence or a broken connection comes to. */
export interface HttpEnds {
  /** Nothing that could be read. */
  readonly unavailable: readonly string[];
  /** A refusal with status 403. */
  readonly refused: readonly string[];
  /** More than there may be. */
  readonly tooMuch: readonly string[];
  readonly redirected: readonly string[];
}

const BOMB_PART_BYTES = 1 << 20;
const BOMB_PARTS = 128;
const OK = "HTTP/1.1 200 OK\r\n";

/** The same lies for every server of HTTP, with what they come to for it. */
export function httpLies({ unavailable, refused, tooMuch, redirected }: HttpEnds): Readonly<Record<string, HttpLie>> {
  const lie = (ends: readonly string[], tell: HttpLie["tell"]): HttpLie => ({ ends, tell });
  return {
    "never-answers": lie(unavailable, () => undefined),
    closes: lie(unavailable, (to) => void to.destroy()),
    "speaks-no-http": lie(unavailable, (to, { spent }) => pour(to, repeated("\0nonsense\r\n\r\n"), spent)),
    "endless-header": lie(unavailable, (to, { spent }) => {
      to.write(`${OK}x-long: `);
      pour(to, repeated("a"), spent);
    }),
    "endless-headers": lie(unavailable, (to, { spent }) => {
      to.write(OK);
      pour(to, repeated("x-more: a\r\n"), spent);
    }),
    "dribbled-headers": lie(unavailable, (to) => dribble(to, `${OK}${"x-more: a\r\n".repeat(1_000)}`)),
    // None of them is kept; there is an end to the time that they may take.
    "endless-interim": lie(unavailable, (to) => {
      pour(to, repeated("HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n"), { mostBytes: 0, lies: 0 });
    }),
    "endless-refusal": lie(refused, (to, given) => pourBody(to, "HTTP/1.1 403 Forbidden\r\n", "no", given)),
    "endless-error": lie(unavailable, (to, given) => pourBody(to, "HTTP/1.1 500 Sorry\r\n", "no", given)),
    "dribbled-error": lie(unavailable, (to) => {
      to.write("HTTP/1.1 500 Sorry\r\ncontent-length: 50000\r\n\r\n");
      dribble(to, "no ");
    }),
    "endless-answer": lie(tooMuch, (to, given) => pourBody(to, OK, given.filler, given)),
    "dribbled-answer": lie(unavailable, (to, { filler }) => {
      to.write(`${OK}content-length: 50000\r\n\r\n`);
      dribble(to, filler);
    }),
    "cut-answer": lie(unavailable, (to, { filler }) => {
      to.end(`${OK}content-length: 50000\r\n\r\n${filler.slice(0, 100)}`);
    }),
    // Whether it is taken for an answer or not: it must not be unpacked completely.
    bomb: lie([...tooMuch, ...unavailable, "answer"], (to, { filler, spent }) => {
      const bytes = bombOf(filler);
      spent.mostBytes = Math.max(spent.mostBytes, bytes.length);
      to.write(`${OK}content-encoding: gzip\r\ncontent-length: ${bytes.length}\r\n\r\n`);
      to.write(bytes);
    }),
    redirects: lie(redirected, (to, { url }) => {
      to.write(`HTTP/1.1 307 Elsewhere\r\nlocation: ${url}\r\ncontent-length: 0\r\n\r\n`);
    }),
  };
}

function pourBody(to: Socket, head: string, body: string, { spent }: LiedTo): void {
  to.write(`${head}transfer-encoding: chunked\r\n\r\n`);
  const piece = repeated(body);
  pour(to, Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from("\r\n")]), spent);
}

const bombs = new Map<string, Buffer>();

function bombOf(filler: string): Buffer {
  const known = bombs.get(filler);
  if (known) return known;
  // Of many parts, as it may be, so that nothing large is needed to make it.
  const part = gzipSync(Buffer.alloc(BOMB_PART_BYTES, filler), { level: 9 });
  const bytes = Buffer.concat(Array.from({ length: BOMB_PARTS }, () => part));
  bombs.set(filler, bytes);
  return bytes;
}
