import assert from "node:assert/strict";
import { test } from "vitest";
import { FAULTS } from "../transport/fault.ts";
import { localPlans, realPlanOf, samplePlans } from "./plans.ts";
import { wholeWorkloads } from "./whole-workloads.ts";

test("every write of creating, scaling and replacing goes wrong in every way, and some of those that are alike", () => {
  const names = new Set(localPlans("writes-local", 1, 3).map(({ name }) => name));
  for (const { name, writes, alike = [] } of wholeWorkloads) {
    const others = writes.filter((write) => !alike.includes(write));
    for (const write of others) for (const fault of FAULTS) assert.ok(names.has(`${name}/${write}/${fault}`));
    const drawn = alike.flatMap((write) => FAULTS.filter((fault) => names.has(`${name}/${write}/${fault}`)));
    assert.equal(drawn.length, Math.min(3, alike.length));
  }
});

test("a plan's name says what goes wrong, and no two plans have the same", () => {
  const plans = localPlans("writes-local", 1, 3);
  assert.equal(new Set(plans.map(({ name }) => name)).size, plans.length);
  for (const plan of plans) {
    const { workload, faultAt } = realPlanOf(plan);
    const told = faultAt ? [workload.name, faultAt.write, faultAt.fault] : [workload.name, "calm"];
    assert.equal(told.join("/"), plan.name);
  }
});

test("another seed draws another sample, the same seed the same", () => {
  const [one, again, other] = [1, 1, 2].map((seed) => samplePlans("writes-kube", seed, 5).map(({ name }) => name));
  assert.deepEqual(one, again);
  assert.notDeepEqual(one, other);
});
