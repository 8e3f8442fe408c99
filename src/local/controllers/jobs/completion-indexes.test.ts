import assert from "node:assert/strict";
import { test } from "vitest";
import { formatIndexes, parseIndexes } from "./completion-indexes.ts";

test.each([
  [[], ""],
  [[0], "0"],
  [[0, 1], "0,1"],
  [[0, 1, 2], "0-2"],
  [[0, 2, 3, 4, 7], "0,2-4,7"],
])("the indexes %j are written %s, and read again", (indexes, text) => {
  assert.equal(formatIndexes(new Set(indexes)), text);
  assert.deepEqual([...parseIndexes(text, 10)], indexes);
});

test("indexes beyond the number of completions do not count", () => {
  assert.deepEqual([...parseIndexes("0-9", 3)], [0, 1, 2]);
});
