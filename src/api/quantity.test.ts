import assert from "node:assert/strict";
import { test } from "vitest";
import { parseQuantity } from "./quantity.ts";

const cases: [quantity: string | number, value: number | undefined][] = [
  [1024, 1024],
  ["0", 0],
  ["1Ki", 1024],
  ["10Gi", 10 * 2 ** 30],
  ["1.5Gi", 1.5 * 2 ** 30],
  [".5k", 500],
  ["1e3", 1000],
  ["2E-1", 0.2],
  ["5E", 5e18],
  ["100m", 0.1],
  ["+1M", 1e6],
  ["-1", -1],
  ["1ki", undefined],
  ["1 Gi", undefined],
  ["Gi", undefined],
  ["", undefined],
];

for (const [quantity, value] of cases) {
  test(`the quantity ${JSON.stringify(quantity)} is ${value ?? "none"}`, () => {
    assert.equal(parseQuantity(quantity), value);
  });
}
