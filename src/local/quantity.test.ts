import assert from "node:assert/strict";
import { test } from "vitest";
import { quantityValue } from "./quantity.ts";

test.each<[string | undefined, number]>([
  ["1", 1],
  ["100m", 0.1],
  ["1.5Gi", 1.5 * 2 ** 30],
  ["2k", 2000],
  ["24684100Ki", 24684100 * 1024],
  ["1e3", 1000],
  ["1E", 1e18],
  [undefined, 0],
  ["many", 0],
])("%s is %d", (quantity, value) => assert.equal(quantityValue(quantity), value));
