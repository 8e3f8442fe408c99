import assert from "node:assert/strict";
import { test } from "vitest";
import { meetsRequirement } from "./meets-requirement.ts";

test.each([
  ["In", ["a", "b"], [true, false, false]],
  ["NotIn", ["a"], [false, true, true]],
  ["Exists", [], [true, true, false]],
  ["DoesNotExist", [], [false, false, true]],
  ["Gt", ["6"], [false, true, false]],
  ["Lt", ["8"], [false, true, false]],
  ["Matches", ["a"], [false, false, false]],
] as const)("%s %j is met by 'a', '7' and nothing as Kubernetes says", (operator, values, expected) => {
  assert.deepEqual(
    ["a", "7", undefined].map((value) => meetsRequirement(value, { operator, values })),
    expected,
  );
});
