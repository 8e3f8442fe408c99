import assert from "node:assert/strict";
import { test } from "vitest";
import type { Stage } from "../workloads/stage.ts";
import type { Workload } from "../workloads/workload.ts";
import { Happening } from "./happening.ts";
import { ViewUnderTest } from "./view-under-test.ts";
import type { Wrongs } from "./wrong-view.ts";

const stage = {} as Stage;

test("what did not happen until all was done is unmet, though it happens then", () => {
  const happening = new Happening("a bookmark was left out");
  const { seen, workload, missing } = viewing({ happenings: [happening] });
  missing.push("a pod");
  workload.missing(stage);
  missing.length = 0;
  assert.deepEqual(workload.missing(stage), []);
  happening.note();
  workload.missing(stage);
  assert.deepEqual(seen.unmet, ["never happened: a bookmark was left out"]);
});

test("what happened before all was done is not unmet", () => {
  const happening = new Happening("a bookmark was left out");
  const { seen, workload } = viewing({ happenings: [happening] });
  happening.note();
  workload.missing(stage);
  assert.deepEqual(seen.unmet, []);
});

test("an episode that is still to come when all is done is unmet", () => {
  const { seen, workload } = viewing({ episodes: [{ place: () => "to come" }] });
  workload.missing(stage);
  assert.deepEqual(seen.unmet, ["the view was never wrong"]);
});

test("all is done only when nothing is kept back any more, and what happens until then counts", () => {
  const happening = new Happening("events became one");
  const holding = { is: true };
  const { seen, workload } = viewing({ happenings: [happening], isHolding: () => holding.is });
  assert.deepEqual(workload.missing(stage), ["the view is still wrong"]);
  happening.note();
  holding.is = false;
  assert.deepEqual(workload.missing(stage), []);
  assert.deepEqual(seen.unmet, []);
});

function viewing(wrongs: Wrongs) {
  const kind = { name: "wrong", make: () => wrongs };
  const seen = new ViewUnderTest({ kind, objects: "everything", seed: 1, events: 1 });
  const none = async function* () {};
  seen.view(async () => Promise.reject(new Error("not asked")), {} as never, { events: [], watch: none } as never);
  const missing: string[] = [];
  const plain: Workload = {
    name: "nothing",
    prepare: async () => undefined,
    act: async () => undefined,
    missing: () => missing,
  };
  return { seen, missing, workload: seen.around(plain) };
}
