import assert from "node:assert/strict";
import type { Deployment, DeploymentStrategy, ReplicaSet } from "kubernetes-types/apps/v1.d.ts";
import { describe, test } from "vitest";
import { stored } from "../../../../test/support/local/stored-objects.ts";
import { leeway, type Rollout } from "./rollout.ts";
import { newSetReplicas, rollingStep, type Scaling, sharedScalings } from "./scalings.ts";

interface Given {
  readonly replicas: number;
  readonly surge?: number | string;
  readonly unavailable?: number | string;
  /** Wanted and available pods of the new ReplicaSet. */
  readonly fresh?: readonly [number, number];
  readonly old?: readonly (readonly [number, number])[];
  /** What the ReplicaSets were told of the Deployment's size. */
  readonly told?: number;
}

function rollout({ replicas, surge = 1, unavailable = 0, fresh, old = [], told = replicas }: Given): Rollout {
  const strategy: DeploymentStrategy = {
    type: "RollingUpdate",
    rollingUpdate: { maxSurge: surge, maxUnavailable: unavailable },
  };
  const spec = { replicas, strategy, selector: {}, template: {} };
  const most = told + leeway({ spec: { ...spec, replicas: told } }).surge;
  const set = (name: string, age: number, [wanted, available]: readonly [number, number]) =>
    stored<ReplicaSet>(name, {
      metadata: {
        creationTimestamp: `2030-01-01T00:00:0${age}Z`,
        annotations: {
          "deployment.kubernetes.io/desired-replicas": String(told),
          "deployment.kubernetes.io/max-replicas": String(most),
        },
      },
      spec: { replicas: wanted, selector: {} },
      status: { replicas: wanted, availableReplicas: available },
    });
  return {
    deployment: stored<Deployment>("web", { spec }),
    newSet: fresh && set("new", 9, fresh),
    oldSets: old.map((sizes, index) => set(`old-${index}`, index, sizes)),
  };
}

const shown = (scalings: readonly Scaling[]) =>
  Object.fromEntries(scalings.map(({ set, replicas }) => [set.metadata.name, replicas]));

describe("a rollout may have", () => {
  test.each<[number, number | string, number | string, { surge: number; unavailable: number }]>([
    [4, "25%", "25%", { surge: 1, unavailable: 1 }],
    [3, "25%", "25%", { surge: 1, unavailable: 0 }],
    [1, 0, 1, { surge: 0, unavailable: 1 }],
    [1, "1%", "1%", { surge: 1, unavailable: 0 }],
    [2, 0, "10%", { surge: 0, unavailable: 1 }],
    [2, 0, 5, { surge: 0, unavailable: 2 }],
    [0, "25%", "25%", { surge: 0, unavailable: 0 }],
  ])("of %d replicas with surge %s and %s unavailable: %j", (replicas, surge, unavailable, expected) => {
    assert.deepEqual(leeway(rollout({ replicas, surge, unavailable }).deployment), expected);
  });

  test("neither when it recreates", () => {
    const spec = { replicas: 3, strategy: { type: "Recreate" }, selector: {}, template: {} };
    assert.deepEqual(leeway({ spec }), { surge: 0, unavailable: 0 });
  });
});

describe("a step of a rolling update", () => {
  test.each<[string, Given, Record<string, number>]>([
    ["makes room for one more", { replicas: 3, fresh: [0, 0], old: [[3, 3]] }, { new: 1 }],
    ["waits for the new one", { replicas: 3, fresh: [1, 0], old: [[3, 3]] }, {}],
    ["takes an old one for a new one that is available", { replicas: 3, fresh: [1, 1], old: [[3, 3]] }, { "old-0": 2 }],
    ["goes on with the next", { replicas: 3, fresh: [1, 1], old: [[2, 2]] }, { new: 2 }],
    ["removes old ones that do not work first", { replicas: 3, fresh: [1, 0], old: [[3, 2]] }, {}],
    [
      "removes what does not work when there is leeway",
      { replicas: 3, unavailable: 1, surge: 0, fresh: [0, 0], old: [[3, 2]] },
      { "old-0": 2 },
    ],
    [
      "takes the oldest first",
      {
        replicas: 2,
        unavailable: 1,
        fresh: [2, 2],
        old: [
          [1, 1],
          [1, 1],
        ],
      },
      { "old-0": 0, "old-1": 0 },
    ],
    ["shrinks the new one that is too large", { replicas: 2, fresh: [4, 4] }, { new: 2 }],
    ["has nothing to do when it is done", { replicas: 2, fresh: [2, 2], old: [[0, 0]] }, {}],
  ])("%s", (_, given, expected) => {
    assert.deepEqual(shown(rollingStep(rollout(given))), expected);
  });

  test("never has fewer available nor more in all than it may, whatever comes up in which order", () => {
    for (const [replicas, surge, unavailable] of [
      [1, 1, 0],
      [3, 0, 1],
      [5, 2, 1],
      [10, "25%", "25%"],
    ] as const) {
      let [fresh, old]: [number, number] = [0, replicas];
      const limits = leeway(rollout({ replicas, surge, unavailable }).deployment);
      for (let step = 0; fresh < replicas || old > 0; step += 1) {
        assert.ok(step < 100, `stuck at ${fresh} new and ${old} old of ${replicas}`);
        const given = rollout({ replicas, surge, unavailable, fresh: [fresh, fresh], old: [[old, old]] });
        const next = shown(rollingStep(given));
        [fresh, old] = [next.new ?? fresh, next["old-0"] ?? old];
        assert.ok(fresh + old <= replicas + limits.surge);
        assert.ok(fresh + old >= replicas - limits.unavailable);
      }
    }
  });

  test("starts a new ReplicaSet with what there is room for", () => {
    assert.equal(newSetReplicas(rollout({ replicas: 3, old: [[3, 3]] })), 1);
    assert.equal(newSetReplicas(rollout({ replicas: 3 })), 3);
  });
});

describe("a changed number of replicas", () => {
  test.each<[string, Given, Record<string, number>]>([
    ["goes to the only ReplicaSet with pods", { replicas: 5, told: 3, fresh: [3, 3], old: [[0, 0]] }, { new: 5 }],
    ["goes to the new one when none has pods", { replicas: 2, told: 0, fresh: [0, 0], old: [[0, 0]] }, { new: 2 }],
    [
      "is shared out in the middle of a rollout",
      { replicas: 10, told: 5, surge: 0, unavailable: 1, fresh: [2, 2], old: [[3, 3]] },
      { "old-0": 6, new: 4 },
    ],
    [
      "is taken from both on the way down",
      { replicas: 5, told: 10, surge: 0, unavailable: 1, fresh: [4, 4], old: [[6, 6]] },
      { "old-0": 3, new: 2 },
    ],
    ["of none takes all", { replicas: 0, told: 5, fresh: [2, 2], old: [[3, 3]] }, { "old-0": 0, new: 0 }],
  ])("%s", (_, given, expected) => {
    assert.deepEqual(shown(sharedScalings(rollout(given))), expected);
  });

  test("takes what is left of the old when the new one is complete", () => {
    assert.deepEqual(shown(sharedScalings(rollout({ replicas: 3, fresh: [3, 3], old: [[1, 1]] }))), { "old-0": 0 });
  });
});
