import assert from "node:assert/strict";
import { test } from "vitest";
import { canonicalQuantity, parseQuantity } from "./quantity.ts";

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
  ["1.1T", 1100e9],
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

test.each([
  ["50m", 0.05, "0.05", "5e-2"],
  ["1", 1, "1000m", "1e0", "+1"],
  ["1500m", "1.5", 1.5],
  ["70m", "0.07"],
  ["1Gi", "1024Mi", "1073741824", "1048576Ki"],
  ["1536Mi", "1.5Gi"],
  ["1G", "1000M", "1e9"],
  ["1100M", "1.1G"],
  ["0", "0m", 0, "0Gi"],
  ["-2", "-2000m"],
])("%s has one notation, however it is written", (canonical, ...others) => {
  assert.deepEqual(
    [canonical, ...others].map(canonicalQuantity),
    [canonical, ...others].map(() => canonical),
  );
});

test("what is no quantity stays as it is, and differs from every other", () => {
  assert.deepEqual(["a lot", "1ki", "1e999"].map(canonicalQuantity), ["a lot", "1ki", "1e999"]);
  assert.notEqual(canonicalQuantity("1Gi"), canonicalQuantity("1G"));
});
