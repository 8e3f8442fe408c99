import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { loadPlans, quickPlan } from "../plan.ts";
import { scheduleOf } from "./schedule.ts";

const SEEDS = Array.from({ length: 50 }, (_, seed) => seed);
const plans = SEEDS.flatMap((seed) => [...loadPlans(seed), quickPlan(seed)]);

describe("a schedule", () => {
  test("is the same for the same plan, and another one for another seed", () => {
    const [one, other] = [loadPlans(1).map(scheduleOf), loadPlans(2).map(scheduleOf)];
    assert.deepEqual(loadPlans(1).map(scheduleOf), one);
    for (const [at, schedule] of one.entries()) assert.notDeepEqual(schedule, other[at]);
  });

  test("has nothing but what its plan asks for, and all of that if there is time", () => {
    for (const plan of plans) {
      const { tasks, troubles, outages } = scheduleOf(plan);
      // Members are added where a disk is to be lost and none can be spared.
      const asked = [...plan.tasks, ...(plan.tasks.includes("lose-disk") ? ["scale"] : [])];
      assert.ok(tasks.every((task) => asked.includes(task.do)));
      assert.ok(troubles.every((trouble) => plan.troubles.includes(trouble.do)));
      assert.ok(outages.every((outage) => plan.outages.includes(outage.do)));
    }
    const all = SEEDS.flatMap((seed) => loadPlans(seed)).flatMap((plan) => Object.values(scheduleOf(plan)).flat());
    const kinds = new Set(all.map((step) => step.do));
    assert.equal(kinds.size, 14);
  });

  test("ends with its plan", () => {
    for (const plan of plans) {
      for (const steps of Object.values(scheduleOf(plan))) {
        assert.ok(steps.reduce((sum: number, { restMs }: { restMs: number }) => sum + restMs, 0) < plan.forMs);
      }
    }
  });

  test("never takes a disk where fewer than three members were asked for", () => {
    for (const plan of plans) {
      let { size } = plan;
      for (const task of scheduleOf(plan).tasks) {
        if (task.do === "scale") size = task.to;
        if (task.do === "lose-disk" || task.do === "delete-pod") assert.ok(size >= 3, `${plan.name} ${plan.seed}`);
      }
    }
  });

  test("goes through versions in their order, each once", () => {
    for (const plan of plans) {
      const upgrades = scheduleOf(plan).tasks.flatMap((task) => (task.do === "upgrade" ? [task.to] : []));
      assert.deepEqual(upgrades, plan.versions.slice(1, 1 + upgrades.length));
    }
  });

  test("of the short run kills a member and the operator, whatever the seed", () => {
    for (const seed of SEEDS) {
      const { troubles, outages } = scheduleOf(quickPlan(seed));
      assert.ok(troubles.length > 0 && outages.length > 0, `seed ${seed}`);
    }
  });
});

describe("plans", () => {
  test("have names of their own", () => {
    const names = [...loadPlans(1), quickPlan(1)].map(({ name }) => name);
    assert.equal(new Set(names).size, names.length);
  });
});
