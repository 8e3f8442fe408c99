import assert from "node:assert/strict";
import type { Deployment, ReplicaSet } from "kubernetes-types/apps/v1.d.ts";
import { describe, test } from "vitest";
import { leeway, recreation, rollingStep } from "./rollout.ts";

type Portion = number | string;
/** Wanted and available pods of a ReplicaSet. */
type Size = readonly [number, number];

function deployment(replicas: number, maxSurge: Portion = 1, maxUnavailable: Portion = 0): Deployment {
  const strategy = { type: "RollingUpdate", rollingUpdate: { maxSurge, maxUnavailable } };
  return { spec: { replicas, strategy, selector: {}, template: {} } };
}

function set([replicas, availableReplicas]: Size): ReplicaSet {
  return { spec: { replicas, selector: {} }, status: { replicas, availableReplicas } };
}

describe("a rollout may have", () => {
  test.each<[number, Portion, Portion, { surge: number; unavailable: number }]>([
    [4, "25%", "25%", { surge: 1, unavailable: 1 }],
    [3, "25%", "25%", { surge: 1, unavailable: 0 }],
    [1, 0, 1, { surge: 0, unavailable: 1 }],
    [2, 0, "10%", { surge: 0, unavailable: 1 }],
    [2, 0, 5, { surge: 0, unavailable: 2 }],
    [0, "25%", "25%", { surge: 0, unavailable: 0 }],
  ])("of %d replicas with surge %s and %s unavailable: %j", (replicas, surge, unavailable, expected) => {
    assert.deepEqual(leeway(deployment(replicas, surge, unavailable)), expected);
  });
});

describe("a rolling update", () => {
  test.each<[string, Deployment, Size | undefined, Size[], number, number[]]>([
    ["makes all pods of a first template at once", deployment(3), undefined, [], 3, []],
    ["makes one more than wanted", deployment(3), undefined, [[3, 3]], 1, [3]],
    ["waits for the new pod", deployment(3), [1, 0], [[3, 3]], 1, [3]],
    ["takes an old one away for each new one that is available", deployment(3), [1, 1], [[3, 3]], 1, [2]],
    ["goes on when there is room", deployment(3), [1, 1], [[2, 2]], 2, [2]],
    ["ends without old pods", deployment(3), [3, 3], [[1, 1]], 3, [0]],
    ["begins with the old where no surge is allowed", deployment(3, 0, 1), undefined, [[3, 3]], 0, [2]],
    ["keeps as many as must be available, also of pods that are not", deployment(3), [1, 0], [[3, 0]], 1, [3]],
    [
      "takes first from those that do not work",
      deployment(3),
      [1, 1],
      [
        [1, 1],
        [2, 0],
      ],
      1,
      [1, 1],
    ],
    ["follows a smaller size", deployment(1), [3, 3], [], 1, []],
    ["follows a larger size", deployment(5), [3, 3], [], 5, []],
    ["follows a size of zero with all of them", deployment(0), [1, 1], [[2, 2]], 0, [0]],
  ])("%s", (_, wanted, fresh, old, newSize, oldSizes) => {
    assert.deepEqual(rollingStep(wanted, fresh && set(fresh), old.map(set)), { newSize, oldSizes });
  });

  test("ends from any start, and never has fewer available pods than it may", () => {
    for (const [surge, unavailable] of [
      [1, 0],
      [0, 1],
      ["25%", "25%"],
      [3, 2],
    ] as const) {
      const wanted = deployment(4, surge, unavailable);
      let [fresh, old]: [number, number] = [0, 4];
      for (let step = 0; step < 20; step += 1) {
        const { newSize, oldSizes } = rollingStep(wanted, set([fresh, fresh]), [set([old, old])]);
        [fresh, old] = [newSize, oldSizes[0] ?? 0];
        const limits = leeway(wanted);
        assert.ok(fresh + old <= 4 + limits.surge, `${fresh} and ${old} pods`);
        assert.ok(old + fresh >= 4 - limits.unavailable, `${fresh} and ${old} pods`);
      }
      assert.deepEqual([fresh, old], [4, 0]);
    }
  });
});

describe("a recreation", () => {
  test("makes no new pod while an old one is there", () => {
    assert.deepEqual(recreation(deployment(2), undefined, [set([2, 2])], true), { newSize: 0, oldSizes: [0] });
    assert.deepEqual(recreation(deployment(2), undefined, [set([0, 0])], true), { newSize: 0, oldSizes: [0] });
    assert.deepEqual(recreation(deployment(2), set([0, 0]), [set([0, 0])], false), { newSize: 2, oldSizes: [0] });
  });
});
