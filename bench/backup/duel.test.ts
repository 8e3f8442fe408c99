import assert from "node:assert/strict";
import { test } from "vitest";
import { Duel } from "./duel.ts";

test("the contestants take turns, and each begins every other round", async () => {
  const order: string[] = [];
  const duel = new Duel(["ours", "theirs"], async (contestant) => [order.push(contestant)]);
  await duel.round();
  await duel.round();
  assert.deepEqual(order, ["ours", "theirs", "theirs", "ours"]);
  assert.deepEqual(duel.values, [1, 4]);
  assert.deepEqual(duel.limits, [2, 3]);
});
