import assert from "node:assert/strict";
import { test } from "vitest";
import { workloads } from "../workloads/workloads.ts";
import { isAboutSomething, type Play, played } from "./play.ts";
import { coalescedWithin, cut, NO_BOOKMARKS, repeatedAfter, type ViewKind } from "./view-kinds.ts";
import { playOf } from "./viewed-workloads.ts";

const SEED = 1;

test("a view that is never wrong in a workload is not planned for it", async () => {
  assert.equal(await isAboutSomething(seen("scale-up", repeatedAfter(10_000)), SEED), false);
  assert.equal(await isAboutSomething(seen("delete", NO_BOOKMARKS), SEED), false);
  assert.equal(await isAboutSomething(seen("scale-up", repeatedAfter(1)), SEED), true);
});

test("a plan in which the view was never wrong fails, and says what never happened", async () => {
  const { failures } = await played(seen("scale-up", repeatedAfter(10_000)), SEED);
  assert.deepEqual(failures, ["never happened: an event was repeated"]);
});

test("a plan in which it was wrong passes", async () => {
  for (const kind of [repeatedAfter(1), cut(2, "expires"), coalescedWithin(5_000)]) {
    const { failures } = await played(seen("scale-up", kind), SEED);
    assert.deepEqual(failures, [], kind.name);
  }
});

function seen(name: string, kind: ViewKind): Play {
  const workload = workloads.find((each) => each.name === name);
  assert.ok(workload);
  return playOf(workload, { kind, objects: "everything" });
}
