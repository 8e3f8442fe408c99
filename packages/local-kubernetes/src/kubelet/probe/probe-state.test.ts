import assert from "node:assert/strict";
import type { Probe } from "kubernetes-types/core/v1.d.ts";
import { describe, test } from "vitest";
import { afterAttempt, initialProbeState, isGivenUp, nextAttempt, type ProbeKind } from "./probe-state.ts";

function stateAfter(kind: ProbeKind, probe: Probe, outcomes: string) {
  return [...outcomes].reduce((state, outcome) => afterAttempt(state, probe, outcome === "+"), initialProbeState(kind));
}

describe("the result of a probe", () => {
  test.each<[ProbeKind, Probe, string, string]>([
    ["readiness", {}, "", "failure"],
    ["liveness", {}, "", "success"],
    ["readiness", {}, "+", "success"],
    ["readiness", { successThreshold: 2 }, "+", "failure"],
    ["readiness", { successThreshold: 2 }, "+-+", "failure"],
    ["readiness", { successThreshold: 2 }, "++", "success"],
    ["readiness", {}, "+--", "success"],
    ["readiness", {}, "+---", "failure"],
    ["readiness", { failureThreshold: 1 }, "+-", "failure"],
    ["liveness", {}, "--+--", "success"],
    ["liveness", {}, "---", "failure"],
  ])("%s with %j after %j is %s", (kind, probe, outcomes, result) => {
    assert.equal(stateAfter(kind, probe, outcomes).result, result);
  });
});

describe("a container is restarted", () => {
  test.each<[ProbeKind, string, boolean]>([
    ["liveness", "--", false],
    ["liveness", "---", true],
    ["startup", "---", true],
    ["startup", "--+", false],
    ["readiness", "------", false],
  ])("by its %s probe after %j: %s", (kind, outcomes, expected) => {
    assert.equal(isGivenUp(kind, stateAfter(kind, {}, outcomes), {}), expected);
  });
});

describe("the wait before the next attempt", () => {
  const probe = { periodSeconds: 5 };
  test("is short until the first success within the first period", () => {
    assert.deepEqual(nextAttempt("readiness", stateAfter("readiness", probe, ""), probe, 0), {
      delayMs: 100,
      isEager: true,
    });
    assert.equal(nextAttempt("readiness", stateAfter("readiness", probe, ""), probe, 4_950).delayMs, 5_000);
    assert.equal(nextAttempt("readiness", stateAfter("readiness", probe, "+"), probe, 300).delayMs, 5_000);
  });

  test("is a period for the liveness probe always", () => {
    assert.deepEqual(nextAttempt("liveness", stateAfter("liveness", probe, "-"), probe, 0), {
      delayMs: 5_000,
      isEager: false,
    });
  });
});
