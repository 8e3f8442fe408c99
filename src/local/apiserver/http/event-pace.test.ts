import assert from "node:assert/strict";
import { test } from "vitest";
import { EventPace } from "./event-pace.ts";

test("only many events in a short time make it busy, and a pause ends that", () => {
  let now = 0;
  const pace = new EventPace(() => now);
  for (; now < 200; now += 2) pace.note();
  assert.equal(pace.isBusy, false);
  for (let count = 0; count < 25; count += 1) pace.note();
  assert.equal(pace.isBusy, true);
  now += 20;
  assert.equal(pace.isBusy, true);
  now += 40;
  assert.equal(pace.isBusy, false);
});
