import assert from "node:assert/strict";
import { test } from "vitest";
import { inWords } from "./in-words.ts";

test.each([
  { ms: 0, words: "0 ms" },
  { ms: 999, words: "999 ms" },
  { ms: 1234, words: "1.2 s" },
  { ms: 59_499, words: "59 s" },
  { ms: 59_999, words: "1 min" },
  { ms: 3_600_000, words: "60 min" },
  { ms: 65_432, words: "1 min 5 s" },
])("$ms ms are $words", ({ ms, words }) => {
  assert.equal(inWords(ms), words);
});
