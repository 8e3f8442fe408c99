import assert from "node:assert/strict";
import { crc32 } from "node:zlib";
import { test } from "vitest";
import { PIECE_BYTES, PieceSums } from "./piece-sums.ts";

const bytes = Buffer.from(Array.from({ length: 2 * PIECE_BYTES + 1_000 }, (_, index) => (index * 7) % 251));
const expected = [0, 1, 2].map((index) => crc32(bytes.subarray(index * PIECE_BYTES, (index + 1) * PIECE_BYTES)));

test.each([1_000, 32 * 1024 + 1, PIECE_BYTES, 3 * PIECE_BYTES])(
  "each piece has its sum, however the stream is cut: into %i bytes",
  (size) => {
    const sums = new PieceSums();
    for (let at = 0; at < bytes.length; at += size) sums.update(bytes.subarray(at, at + size));
    assert.deepEqual([sums.count, sums.sizeBytes], [3, bytes.length]);
    assert.deepEqual(
      [0, 1, 2].map((index) => sums.sumOf(index)),
      expected,
    );
    assert.deepEqual(
      [0, 1, 2].map((index) => sums.lengthOf(index)),
      [PIECE_BYTES, PIECE_BYTES, 1_000],
    );
  },
);

test("a stream of whole pieces has no piece more", () => {
  const sums = new PieceSums();
  sums.update(bytes.subarray(0, 2 * PIECE_BYTES));
  assert.deepEqual([sums.count, sums.lengthOf(1)], [2, PIECE_BYTES]);
  assert.equal(new PieceSums().count, 0);
});
