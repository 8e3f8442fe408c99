import assert from "node:assert/strict";
import { test } from "vitest";
import { lastWords, restartDelayMs } from "./supervised-process.ts";

test("a part that ran for long is started again at once", () => {
  assert.equal(restartDelayMs([60_000]), 0);
  assert.equal(restartDelayMs([10, 10, 10, 60_000]), 0);
});

test("a part that keeps ending is started less and less often", () => {
  assert.deepEqual(
    [[10], [10, 10], [10, 10, 10], Array<number>(20).fill(10)].map(restartDelayMs),
    [0, 200, 400, 5_000],
  );
});

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
