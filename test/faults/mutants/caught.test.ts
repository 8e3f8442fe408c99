import assert from "node:assert/strict";
import { test } from "vitest";
import { notCaught } from "./caught.ts";
import { innerPlan } from "./inner-plan.ts";
import type { Mutant } from "./mutant.ts";

const NAMES = ["writes/create/1-error", "views/create/held"];
const MUTANT: Mutant = {
  name: "a",
  reference: "b#1",
  bug: "c",
  patches: [],
  caughtBy: NAMES,
  failsWith: /a pod is left/,
};

test("a mutant is caught when each of its plans fails with what is wrong", () => {
  const results = resultsWith(["a pod is left"], ["something else", "a pod is left: a-1"]);
  assert.deepEqual(notCaught(MUTANT, results), []);
});

test("it is not when one of them passes, or has not ended", () => {
  assert.deepEqual(notCaught(MUTANT, resultsWith(["a pod is left"], [])), ["views/create/held does not find it"]);
  assert.deepEqual(notCaught(MUTANT, resultsWith(["a pod is left"])), ["views/create/held told no result"]);
});

test("it is not when a plan fails for another reason", () => {
  const [why = "", hint = ""] = notCaught(MUTANT, resultsWith(["a pod is left"], ["the run broke off"]));
  assert.match(why, /views\/create\/held fails, but not with .*: the run broke off/);
  assert.match(hint, /make faults ONLY='views\/create\/held' SEED=1/);
});

function resultsWith(...failures: readonly (readonly string[])[]) {
  return failures.map((each, at) => ({ plan: innerPlan(NAMES[at] ?? ""), failures: each }));
}
