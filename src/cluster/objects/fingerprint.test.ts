import { expect, test } from "vitest";
import { fingerprint } from "./fingerprint.ts";

test.each([
  ["", "07cc7607b4949e25"],
  ["a", "d4272417d7c77eea"],
])("the fingerprint of %j is FNV-1a of its JSON", (value, hash) => {
  expect(fingerprint(value)).toBe(hash);
});

test("keys may come in any order, at any depth; elements of a list may not", () => {
  expect(fingerprint({ a: 1, b: { c: 2, d: 3 } })).toBe(fingerprint({ b: { d: 3, c: 2 }, a: 1 }));
  expect(fingerprint([1, 2])).not.toBe(fingerprint([2, 1]));
});
