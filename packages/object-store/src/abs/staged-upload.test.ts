import { expect, test } from "vitest";
import { blockBytes } from "./staged-upload.ts";

const MIB = 2 ** 20;
const GIB = 1_024 * MIB;
const MOST_BLOCKS = 50_000;

function roomFor(expectedBytes: number | undefined): number {
  let room = 0;
  for (let index = 0; index < MOST_BLOCKS; index += 1) room += blockBytes(index, expectedBytes);
  return room;
}

test("blocks are small for the databases that etcd has", () => {
  expect([undefined, 0, 2 * GIB, 100 * GIB].map((bytes) => blockBytes(0, bytes))).toEqual(Array(4).fill(8 * MIB));
});

test("a blob may have enough of them, whatever was expected", () => {
  expect(roomFor(undefined)).toBeGreaterThan(2_000 * GIB);
  expect(roomFor(400 * GIB)).toBeGreaterThan(2_000 * GIB);
  expect(roomFor(10_000 * GIB)).toBeGreaterThan(10_000 * GIB);
});

test("blocks grow when there are more of them than expected", () => {
  expect(blockBytes(9_999)).toBe(8 * MIB);
  expect(blockBytes(10_000)).toBe(16 * MIB);
  expect(blockBytes(MOST_BLOCKS - 1)).toBe(128 * MIB);
});

test("blocks are never smaller than asked for", () => {
  expect(blockBytes(0, undefined, 32 * MIB)).toBe(32 * MIB);
  expect(blockBytes(0, 10_000 * GIB, 32 * MIB)).toBeGreaterThan(32 * MIB);
});
