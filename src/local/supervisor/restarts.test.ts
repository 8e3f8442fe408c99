import assert from "node:assert/strict";
import { test } from "vitest";
import { restartDelayMs } from "./restarts.ts";

test("a part that ran for long is started again at once", () => {
  assert.equal(restartDelayMs([60_000]), 0);
  assert.equal(restartDelayMs([10, 10, 10, 60_000]), 0);
});

test("a part that keeps ending is started less and less often", () => {
  assert.deepEqual(
    [[10], [10, 10], [10, 10, 10], Array<number>(20).fill(10)].map(restartDelayMs),
    [0, 200, 400, 5_000],
  );
});
