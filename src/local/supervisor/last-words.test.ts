import assert from "node:assert/strict";
import { test } from "vitest";
import { lastWords } from "./last-words.ts";

test.each([
  ["", "none"],
  ["a\nb\n", "b"],
  [
    '{"level":"info","msg":"starting"}\n{"level":"fatal","err":{"stack":"long"},"msg":"the Lease was lost"}\n',
    "the Lease was lost",
  ],
  ['{"no":"message"}', '{"no":"message"}'],
  ["null", "null"],
])("of the log %j the last words are %j", (log, words) => {
  assert.equal(lastWords(log), words);
});

test("a last line without end is cut", () => {
  assert.equal(lastWords("x".repeat(10_000)).length, 500);
});
