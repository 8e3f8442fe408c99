import assert from "node:assert/strict";
import { test } from "vitest";
import { Match } from "./match.ts";

test("contestants take turns, and who begins alternates", async () => {
  const order: string[] = [];
  const match = new Match(["us", "them"], async (who) => {
    order.push(who);
    return { who, at: order.length };
  });
  await match.round();
  await match.round();
  assert.deepEqual(order, ["us", "them", "them", "us"]);
  assert.deepEqual(
    match.ours.map(({ at }) => at),
    [1, 4],
  );
  assert.deepEqual(
    match.theirs.map(({ at }) => at),
    [2, 3],
  );
});
