import assert from "node:assert/strict";
import { test } from "vitest";
import { parseGoDuration } from "./go-duration.ts";

test.each([
  ["10m", 600_000],
  ["1h30m", 5_400_000],
  ["1.5s", 1_500],
  [".5s", 500],
  ["300ms", 300],
  ["0", 0],
  ["0s", 0],
])("%s is a duration", (text, ms) => {
  assert.equal(parseGoDuration(text), ms);
});

test.each([[""], ["10"], ["m"], ["10 m"], ["1d"], ["10mx"], ["-1m"]])("'%s' is none", (text) => {
  assert.equal(parseGoDuration(text), undefined);
});
