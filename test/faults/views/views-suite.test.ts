import assert from "node:assert/strict";
import { test } from "vitest";
import { CHANGES } from "./travels/change.ts";
import { playsOf, viewsSuite } from "./views-suite.ts";

test("a name stands for one plan", () => {
  const names = playsOf(1).map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
});

test("a seed always makes the same plans, and another seed others", () => {
  const names = (seed: number) => playsOf(seed).map(({ name }) => name);
  assert.deepEqual(names(7), names(7));
  assert.notDeepEqual(names(7), names(8));
});

test("the past returns after every pair of deletions and changes of size", () => {
  const workloads = new Set(playsOf(1).map(({ name }) => name.split("/")[0]));
  for (const first of CHANGES) {
    for (const second of CHANGES) {
      assert.ok(workloads.has(`${first.name}-${second.name}-on-claims`), `${first.name}, then ${second.name}`);
    }
  }
});

test("every departure into the past is made in both ways, whatever the seed", () => {
  for (const seed of [1, 2]) {
    const names = playsOf(seed).map(({ name }) => name);
    for (const when of ["midway", "afterwards"])
      for (const to of ["before", "between"])
        for (const by of ["crash", "relist"]) {
          const isThere = names.some((name) => name.includes(`/${by}-${when}-to-${to}-for-`));
          assert.ok(isThere, `seed ${seed}: ${by}, ${when}, to ${to}`);
        }
  }
});

test("a plan that does not exist is a failure", async () => {
  const plan = { suite: "views", name: "create/no-such-view-of-pods", seed: 1, workload: "create" };
  const results: string[] = [];
  await viewsSuite.run([plan], ({ failures }) => results.push(...failures), new AbortController().signal);
  assert.deepEqual(results, ["there is no plan create/no-such-view-of-pods"]);
});
