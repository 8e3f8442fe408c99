import assert from "node:assert/strict";
import { crc32 } from "node:zlib";
import { test } from "vitest";
import { PIECE_BYTES, PieceSums } from "./piece-sums.ts";

const bytes = Buffer.from(Array.from({ length: 2 * PIECE_BYTES + 1_000 }, (_, index) => (index * 7) % 251));
const expected = [0, PIECE_BYTES, 2 * PIECE_BYTES].map((offset) => {
  const piece = bytes.subarray(offset, offset + PIECE_BYTES);
  return { offset, length: piece.length, crc32: crc32(piece) };
});

test.each([1_000, 32 * 1024 + 1, PIECE_BYTES, 3 * PIECE_BYTES])(
  "each piece has its sum, however the stream is cut: into %i bytes",
  (size) => {
    const sums = new PieceSums();
    for (let at = 0; at < bytes.length; at += size) sums.update(bytes.subarray(at, at + size));
    assert.deepEqual(sums.pieces(), expected);
  },
);

test("a stream of whole pieces has no piece more, and an empty one none", () => {
  const sums = new PieceSums();
  sums.update(bytes.subarray(0, 2 * PIECE_BYTES));
  assert.deepEqual(sums.pieces(), expected.slice(0, 2));
  assert.deepEqual(new PieceSums().pieces(), []);
});

test("of a long stream some are kept, spread over all of it, and the end with what lies behind where it was expected", () => {
  const sums = new PieceSums(640 * PIECE_BYTES);
  const piece = (index: number) => Buffer.alloc(PIECE_BYTES, index % 256);
  for (let index = 0; index < 642; index += 1) sums.update(piece(index));
  sums.update(bytes.subarray(0, 500));
  const kept = sums.pieces();
  const spread = Array.from({ length: 64 }, (_, step) => step * 10);
  assert.deepEqual(
    kept.map(({ offset }) => offset / PIECE_BYTES),
    [...spread, 639, 640, 641, 642],
  );
  assert.equal(kept.at(-1)?.length, 500);
  for (const { offset, crc32: sum } of kept.slice(0, -1)) assert.equal(sum, crc32(piece(offset / PIECE_BYTES)));
});
