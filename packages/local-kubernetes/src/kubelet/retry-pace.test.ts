import assert from "node:assert/strict";
import { test } from "vitest";
import { RetryPace } from "./retry-pace.ts";

test("what cannot be done is tried after twice as long each time, up to a limit, and starts again once it succeeds", () => {
  const pace = new RetryPace();
  assert.equal(pace.at, 0);
  const waits = [1, 2, 3, 4, 5, 6, 7].map(() => {
    pace.failed(1_000_000);
    return pace.at - 1_000_000;
  });
  assert.deepEqual(waits, [500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
  pace.succeeded();
  assert.equal(pace.at, 0);
  pace.failed(0);
  assert.equal(pace.at, 500);
});
