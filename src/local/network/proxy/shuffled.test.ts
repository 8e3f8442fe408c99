import assert from "node:assert/strict";
import { test } from "vitest";
import { shuffled } from "./shuffled.ts";

test("everything comes once, in the order that chance decides", () => {
  const things = ["a", "b", "c", "d"];
  assert.deepEqual(shuffled(things, Math.random).sort(), things);
  assert.deepEqual(
    shuffled(things, () => 0),
    ["b", "c", "d", "a"],
  );
});
