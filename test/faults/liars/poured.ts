import type { Writable } from "node:stream";
import type { Spent } from "./play.ts";

/** No liar sends more than this on a connection, whatever reads it. */
const MOST_BYTES = 64 << 20;
const DRIBBLE_MS = 10;
/** For so long a liar dribbles; by then what reads it has hung. */
const DRIBBLE_FOR_MS = 30_000;

/** Sends the same piece again and again, as fast as it is taken. */
export function pour(to: Writable, piece: Buffer, spent: Spent): void {
  let bytes = 0;
  const more = () => {
    while (bytes < MOST_BYTES && !to.destroyed && to.writable) {
      bytes += piece.length;
      spent.mostBytes = Math.max(spent.mostBytes, bytes);
      if (!to.write(piece)) return;
    }
  };
  to.on("drain", more);
  more();
}

/** Sends one byte at a time. */
export function dribble(to: Writable, text: string | Buffer): void {
  const bytes = Buffer.from(text);
  const endAt = performance.now() + DRIBBLE_FOR_MS;
  let at = 0;
  const timer = setInterval(() => {
    if (to.destroyed || !to.writable || performance.now() > endAt) return clearInterval(timer);
    to.write(bytes.subarray(at, at + 1));
    at = (at + 1) % bytes.length;
  }, DRIBBLE_MS);
  to.once("close", () => clearInterval(timer));
}

/** A piece of at least 64 KiB. */
export function repeated(text: string | Buffer): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat(Array.from({ length: Math.ceil(65_536 / bytes.length) }, () => bytes));
}
