import { expect, test } from "vitest";
import { prefixEnd } from "./key-value.ts";

test.each([
  ["/a/", "/a0"],
  ["a", "b"],
])("the keys that start with %s end before %s", (prefix, end) => {
  expect(Buffer.from(prefixEnd(prefix)).toString()).toBe(end);
});

test("a last byte that cannot grow is dropped and the one before it grows", () => {
  expect([...prefixEnd(Uint8Array.of(0x61, 0xff, 0xff))]).toEqual([0x62]);
});

test("a prefix that nothing can follow, and the empty one, reach to the last key", () => {
  expect([...prefixEnd(Uint8Array.of(0xff))]).toEqual([0]);
  expect([...prefixEnd("")]).toEqual([0]);
});
