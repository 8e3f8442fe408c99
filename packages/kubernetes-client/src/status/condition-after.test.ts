import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { conditionAfter, conditionOf, cut } from "./condition-after.ts";
import { parseTime, rfc3339 } from "./kube-time.ts";

const T0 = Date.UTC(2030, 0, 1);
const yes = { isTrue: true, reason: "Verified", message: "All is well" };
const first = conditionAfter("Succeeded", yes, undefined, { nowMs: T0, generation: 3 });

describe("a condition", () => {
  test("says when it was written and when it turned", () => {
    assert.deepEqual(first, {
      type: "Succeeded",
      status: "True",
      observedGeneration: 3,
      lastUpdateTime: "2030-01-01T00:00:00Z",
      lastTransitionTime: "2030-01-01T00:00:00Z",
      reason: "Verified",
      message: "All is well",
    });
  });

  test("keeps its times while it says the same", () => {
    const next = conditionAfter("Succeeded", yes, first, { nowMs: T0 + 5_000, generation: 3 });
    assert.deepEqual(next, first);
  });

  test("moves one time with its words, and both when it turns", () => {
    const moment = { nowMs: T0 + 5_000, generation: 4 };
    const reworded = conditionAfter("Succeeded", { ...yes, message: "Still well" }, first, moment);
    assert.deepEqual([reworded.lastUpdateTime, reworded.lastTransitionTime], [rfc3339(T0 + 5_000), rfc3339(T0)]);
    const turned = conditionAfter("Succeeded", { ...yes, isTrue: undefined }, first, moment);
    assert.deepEqual([turned.status, turned.lastTransitionTime], ["Unknown", rfc3339(T0 + 5_000)]);
  });

  test("is found by its type", () => {
    assert.equal(conditionOf([first], "Succeeded"), first);
    assert.equal(conditionOf(undefined, "Succeeded"), undefined);
  });
});

test("a message is one line, and loses its end where it is too long", () => {
  assert.equal(cut("short\n"), "short");
  assert.equal(cut("x".repeat(5_000)), `${"x".repeat(1_021)}…`);
});

test("what is no time is none", () => {
  assert.deepEqual(["", null, undefined, "soon"].map(parseTime), Array(4).fill(undefined));
  assert.equal(parseTime(rfc3339(T0)), T0);
});
