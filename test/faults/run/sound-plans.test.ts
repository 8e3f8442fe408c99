import assert from "node:assert/strict";
import { test } from "vitest";
import { faultsIn } from "./sound-plans.ts";

const plan = { suite: "writes", name: "create/1", seed: 1, workload: "create" };

test("plans that can be distinguished and repeated are sound", () => {
  assert.deepEqual(faultsIn([plan, { ...plan, name: "create/2" }], "writes", 1), []);
});

test.each([
  { plans: [], fault: "it has no plans" },
  { plans: [plan, plan], fault: "two plans are called create/1" },
  { plans: [{ ...plan, suite: "views" }], fault: "create/1 says that it is of views, not of writes" },
  {
    plans: [{ ...plan, seed: 2 }],
    fault: "create/1 has the seed 2; with that SEED= it would not be found again",
  },
])("$fault", ({ plans, fault }) => {
  assert.deepEqual(faultsIn(plans, "writes", 1), [fault]);
});
