import assert from "node:assert/strict";
import { aPod, stored } from "@etcd-operator/testing/local/stored-objects.ts";
import type { PodDisruptionBudget, PodDisruptionBudgetSpec } from "kubernetes-types/policy/v1.d.ts";
import { describe, test } from "vitest";
import { budgetStatus, needsScale } from "./budget-status.ts";

const NOW = Date.parse("2030-01-01T00:01:00Z");
const aBudget = (spec: PodDisruptionBudgetSpec, status?: PodDisruptionBudget["status"]) =>
  stored<PodDisruptionBudget>("budget", { metadata: { generation: 4 }, spec, ...(status && { status }) });
const healthy = (count: number) => Array.from({ length: count }, (_, index) => aPod(`p${index}`));

describe("a disruption budget allows", () => {
  test.each<[number, PodDisruptionBudgetSpec, number, number]>([
    [1, { minAvailable: 2 }, 3, 3],
    [0, { minAvailable: 3 }, 3, 3],
    [0, { minAvailable: 5 }, 3, 3],
    [1, { minAvailable: "50%" }, 3, 3],
    [1, { maxUnavailable: 1 }, 3, 3],
    [0, { maxUnavailable: 1 }, 2, 3],
    [2, { maxUnavailable: "50%" }, 3, 3],
    [0, { maxUnavailable: 1 }, 0, 0],
  ])("%d with %j, %d of %d pods being healthy", (allowed, spec, count, expected) => {
    assert.equal(budgetStatus(aBudget(spec), healthy(count), expected, NOW).disruptionsAllowed, allowed);
  });

  test("nothing when it cannot be known how many pods there ought to be", () => {
    const status = budgetStatus(aBudget({ maxUnavailable: 1 }), healthy(3), undefined, NOW);
    assert.equal(status.disruptionsAllowed, 0);
    assert.equal(status.conditions?.[0]?.reason, "SyncFailed");
  });
});

test("only ready pods that are not on their way out are healthy", () => {
  const pods = [aPod("a"), aPod("b", { isReady: false }), aPod("c", { isGoing: true }), aPod("d")];
  const old = { currentHealthy: 0, desiredHealthy: 0, expectedPods: 0, disruptionsAllowed: 0 };
  const disruptedPods = { d: "2030-01-01T00:00:30Z", a: "2029-01-01T00:00:00Z", c: "2030-01-01T00:00:30Z" };
  const status = budgetStatus(aBudget({ minAvailable: 1 }, { ...old, disruptedPods }), pods, 4, NOW);
  assert.equal(status.currentHealthy, 1);
  assert.deepEqual(status.disruptedPods, { d: "2030-01-01T00:00:30Z" });
  assert.equal(status.observedGeneration, 4);
});

test("the condition keeps its time while nothing changes", () => {
  const first = budgetStatus(aBudget({ minAvailable: 1 }), healthy(2), 2, NOW);
  const again = budgetStatus(aBudget({ minAvailable: 1 }, first), healthy(2), 2, NOW + 5_000);
  assert.deepEqual(again, first);
});

test("the controllers of the pods are asked only where their number matters", () => {
  assert.ok(!needsScale({ minAvailable: 2 }));
  assert.ok(needsScale({ minAvailable: "50%" }));
  assert.ok(needsScale({ maxUnavailable: 1 }));
});
