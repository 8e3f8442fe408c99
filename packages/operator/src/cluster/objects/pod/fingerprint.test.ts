import { expect, test } from "vitest";
import { randomOf } from "../../../../../../test/model/random.ts";
import { fingerprint } from "./fingerprint.ts";

test.each([
  ["", "07cc7607b4949e25"],
  ["a", "d4272417d7c77eea"],
])("the fingerprint of %j is FNV-1a of its JSON", (value, hash) => {
  expect(fingerprint(value)).toBe(hash);
});

test("so it is of texts of any length and script", () => {
  const random = randomOf(1);
  for (let length = 0; length < 300; length += 7) {
    const text = Array.from({ length }, () => String.fromCodePoint(32 + random.int(0xd000))).join("");
    expect(fingerprint(text)).toBe(fnv1a(JSON.stringify(text)));
  }
});

/** By the book. */
function fnv1a(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash.toString(16).padStart(16, "0");
}

test("keys may come in any order, at any depth; elements of a list may not", () => {
  expect(fingerprint({ a: 1, b: { c: 2, d: 3 } })).toBe(fingerprint({ b: { d: 3, c: 2 }, a: 1 }));
  expect(fingerprint([1, 2])).not.toBe(fingerprint([2, 1]));
});
