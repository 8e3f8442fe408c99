import assert from "node:assert/strict";
import { anObservation, healthy, leader, NOW_MS, unknown } from "@etcd-operator/testing/cluster/an-observation.ts";
import { describe, test } from "vitest";
import { plan } from "../plan.ts";

describe("a member whose pod is terminating", () => {
  const goingSince = (ms: number) => ({ pod: { isTerminating: true, deletedAtMs: NOW_MS - ms } });

  test.each([
    ["at once, because no event tells when etcd has stopped", 0, 20],
    ["after a while that grows with the time it takes", 11_000, 1_000],
    ["on events and the slow tick, when it takes very long", 90_000, undefined],
  ])("is looked at again while it answers: %s", (_, sinceMs, recheckAfterMs) => {
    const members = [leader("a"), healthy("b"), healthy("c", goingSince(sinceMs))];
    const action = plan(anObservation({ members }));
    assert.equal(action.message, "Waiting for c (its pod is being deleted)");
    assert.equal(action.kind === "hold" && action.recheckAfterMs, recheckAfterMs);
  });

  test("is left to events once it has stopped, when it comes back to its volume", () => {
    const members = [leader("a"), healthy("b"), unknown("c", goingSince(1_000))];
    const action = plan(anObservation({ members, claims: true }));
    assert.equal(action.reason, "WaitingForMembers");
    assert.equal(action.kind === "hold" && action.recheckAfterMs, undefined);
  });
});
