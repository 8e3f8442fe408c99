import assert from "node:assert/strict";
import { describe, test } from "vitest";
import type { Plan } from "../plan.ts";
import { selectedPlans, selectedSuites, UnknownNameError } from "./selection.ts";
import type { SuiteEntry } from "./suite-entry.ts";

const suites = ["writes", "writes-local", "views"].map(aSuite);
const plans = ["create/1-crash", "create/11-crash", "scale/1-crash"].map(aPlan);

describe("which suites are run", () => {
  test.each([
    { suite: "", only: "", expected: ["writes", "writes-local", "views"] },
    { suite: "views,writes", only: "", expected: ["writes", "views"] },
    { suite: "", only: "writes", expected: ["writes"] },
    { suite: "", only: "writes-local/create", expected: ["writes-local"] },
    { suite: "views,writes", only: "views/a", expected: ["views"] },
  ])("SUITE=$suite ONLY=$only: $expected", ({ expected, ...selection }) => {
    assert.deepEqual(
      selectedSuites(suites, selection).map(({ name }) => name),
      expected,
    );
  });

  test.each([
    { suite: "write", only: "", message: 'SUITE: no suite "write"; there are writes, writes-local, views' },
    { suite: "", only: "loads/a", message: 'ONLY: no suite "loads"; there are writes, writes-local, views' },
    { suite: "views", only: "writes/a", message: "ONLY=writes/a is not of SUITE=views" },
  ])("SUITE=$suite ONLY=$only is refused, with what there is", ({ message, ...selection }) => {
    assert.throws(() => selectedSuites(suites, selection), new UnknownNameError(message));
  });
});

describe("which plans are run", () => {
  test.each([
    { only: "", expected: plans },
    { only: "writes", expected: plans },
    { only: "writes/", expected: plans },
    { only: "writes/create", expected: plans.slice(0, 2) },
    { only: "writes/create/1", expected: plans.slice(0, 2) },
    { only: "writes/create/1-crash", expected: plans.slice(0, 1) },
  ])("ONLY=$only", ({ only, expected }) => {
    assert.deepEqual(selectedPlans(plans, only), expected);
  });

  test("a name of none is refused, with those that begin like it", () => {
    const message = 'ONLY=writes/create/2: no plan "create/2"; there are create/1-crash, create/11-crash';
    assert.throws(() => selectedPlans(plans, "writes/create/2"), new UnknownNameError(message));
  });

  test("a name like no other is refused, with the workloads", () => {
    const message =
      'ONLY=writes/x: no plan "x"; plans of it are called such as create/1-crash; its workloads are create, scale';
    assert.throws(() => selectedPlans(plans, "writes/x"), new UnknownNameError(message));
  });
});

function aSuite(name: string): SuiteEntry {
  return { name, place: "in-process", minutes: 1, load: () => Promise.reject(new Error("not needed")) };
}

function aPlan(name: string): Plan {
  return { suite: "writes", name, seed: 1, workload: name.slice(0, name.indexOf("/")) };
}
