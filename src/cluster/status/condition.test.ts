import assert from "node:assert/strict";
import { test } from "vitest";
import { anObservation, gone, healthy, leader, NOW_MS, unknown } from "../../../test/support/cluster/an-observation.ts";
import { conditionIn, statusAfterPasses, statusOf } from "../../../test/support/cluster/status-of.ts";
import { conditionAfter } from "./condition.ts";

const yes = { isTrue: true, reason: "Fine", message: "all is fine" };
const moment = (seconds: number) => ({ nowMs: NOW_MS + seconds * 1000, generation: 1 });

test("all six conditions are always there, each with a reason and a sentence", () => {
  for (const given of [{}, { status: {}, members: [], size: 1, membership: "unknown" }] as const) {
    const { conditions = [] } = statusOf(anObservation(given));
    assert.deepEqual(
      conditions.map(({ type }) => type),
      ["Available", "Recovering", "Scaling", "Upgrading", "Degraded", "QuorumLost"],
    );
    for (const { reason = "", message } of conditions) {
      assert.match(reason, /^[A-Z][A-Za-z]+$/);
      assert.ok(message);
    }
  }
});

test("a condition that says the same keeps its times", () => {
  const first = conditionAfter("Available", yes, undefined, moment(0));
  assert.deepEqual(conditionAfter("Available", yes, first, moment(60)), first);
});

test("another message moves the time of the update, and only that", () => {
  const first = conditionAfter("Available", yes, undefined, moment(0));
  const { lastUpdateTime, lastTransitionTime } = conditionAfter(
    "Available",
    { ...yes, message: "2 of 3" },
    first,
    moment(60),
  );
  assert.deepEqual([lastUpdateTime, lastTransitionTime], ["2030-01-01T00:01:00Z", "2030-01-01T00:00:00Z"]);
});

test("another status moves both times", () => {
  const first = conditionAfter("Available", yes, undefined, moment(0));
  const { lastUpdateTime, lastTransitionTime } = conditionAfter(
    "Available",
    { ...yes, isTrue: false },
    first,
    moment(60),
  );
  assert.deepEqual([lastUpdateTime, lastTransitionTime], ["2030-01-01T00:01:00Z", "2030-01-01T00:01:00Z"]);
});

test("a condition of the old operator, without the standard times, gets them", () => {
  const old = { type: "Available", status: "True" } as const;
  assert.equal(conditionAfter("Available", yes, old, moment(0)).lastTransitionTime, "2030-01-01T00:00:00Z");
});

test("each condition keeps its own times from pass to pass", () => {
  const down = { members: [leader("a"), healthy("b"), gone("c")], atMs: 60_000 };
  const status = statusAfterPasses({ members: [leader("a"), healthy("b"), healthy("c")] }, down);
  assert.equal(conditionIn(status, "Upgrading").lastUpdateTime, "2030-01-01T00:00:00Z");
  assert.equal(conditionIn(status, "Degraded").lastTransitionTime, "2030-01-01T00:01:00Z");
});

test("a message is cut before the API server would refuse it", () => {
  const trouble = "t".repeat(40_000);
  const seen = anObservation({ members: [leader("a"), healthy("b"), unknown("c", { pod: { trouble } })] });
  const { message = "" } = conditionIn(statusOf(seen), "Degraded");
  assert.equal(message.length, 4096);
  assert.ok(message.endsWith("…"));
});
