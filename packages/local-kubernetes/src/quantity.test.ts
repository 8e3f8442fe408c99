import assert from "node:assert/strict";
import { test } from "vitest";
import { Quantity, quantityValue } from "./quantity.ts";

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

test.each([
  ["1", "1"],
  ["0", "0"],
  ["0.5", "500m"],
  ["1000m", "1"],
  ["1500m", "1500m"],
  ["1.5Gi", "1536Mi"],
  ["1024Mi", "1Gi"],
  ["0Gi", "0"],
  ["1.5G", "1500M"],
  ["1000000", "1M"],
  ["123456", "123456"],
  ["1e3", "1e3"],
  ["1e9", "1e9"],
  ["0.1m", "100u"],
  [".5", "500m"],
  ["-1.5", "-1500m"],
  ["1000k", "1M"],
])("%s is written as %s", (given, written) => {
  assert.equal(String(Quantity.parse(given)), written);
});
