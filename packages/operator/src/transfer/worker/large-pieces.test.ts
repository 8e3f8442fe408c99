import { describe, expect, test } from "vitest";
import { inLargePieces } from "./large-pieces.ts";

const MIB = 1 << 20;

/** Always the same memory, as a source may do. */
async function* reusing(sizes: readonly number[]) {
  const memory = Buffer.alloc(Math.max(...sizes));
  for (const [index, size] of sizes.entries()) yield memory.fill(index + 1).subarray(0, size);
}

describe("a source that uses its memory again", () => {
  const sizes = [MIB - 7, 100, 0, 3 * MIB, 5, MIB];

  test("is gathered into mebibytes, the last of which may be short", async () => {
    const [lengths, found, told] = [[] as number[], [] as Buffer[], [] as number[]];
    for await (const piece of inLargePieces(reusing(sizes), (bytes) => told.push(bytes))) {
      lengths.push(piece.length);
      found.push(Buffer.from(piece));
    }
    const expected = Buffer.concat(sizes.map((size, index) => Buffer.alloc(size, index + 1)));
    expect(Buffer.concat(found).equals(expected)).toBe(true);
    expect(lengths.slice(0, -1).every((length) => length === MIB)).toBe(true);
    expect(told.at(-1)).toBe(expected.length);
  });

  test("leaves a piece alone while the next is being gathered", async () => {
    const pieces = inLargePieces(reusing([MIB, MIB, MIB]), () => undefined);
    const first = (await pieces.next()).value as Buffer;
    await pieces.next();
    expect(first.every((byte) => byte === 1)).toBe(true);
  });

  test("of nothing has no piece", async () => {
    expect((await inLargePieces(reusing([0]), () => undefined).next()).done).toBe(true);
  });
});
