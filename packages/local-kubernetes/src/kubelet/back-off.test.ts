import assert from "node:assert/strict";
import { test } from "vitest";
import { type BackOff, dueAt, nextBackOff, standardBackOff } from "./back-off.ts";

test("a container that keeps dying at once restarts after 0, 10, 20, 40 … and never more than 300 s", () => {
  const waits: number[] = [];
  let backOff: BackOff | undefined;
  for (let now = 0, i = 0; i < 8; i += 1) {
    const due = dueAt(backOff, now, standardBackOff);
    waits.push((due - now) / 1000);
    backOff = nextBackOff(backOff, due, standardBackOff);
    now = due;
  }
  assert.deepEqual(waits, [0, 10, 20, 40, 80, 160, 300, 300]);
});

test("a container that ran for more than ten minutes is forgiven", () => {
  const backOff = { delayMs: 160_000, updatedAt: 0 };
  assert.equal(dueAt(backOff, 600_001, standardBackOff), 600_001);
  assert.equal(nextBackOff(backOff, 600_001, standardBackOff).delayMs, 10_000);
});
