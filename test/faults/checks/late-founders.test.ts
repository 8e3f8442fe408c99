import assert from "node:assert/strict";
import { describe, test } from "vitest";
import type { ProcessStarted } from "../model/etcd/facts.ts";
import { differencesBut, foundersInModel, lateFounders } from "./late-founders.ts";
import { objectsWritten, type Written } from "./objects-under-test.ts";

const SEEDS = ["a-1", "a-2", "a-3"];

describe("late initial members", () => {
  test("are those that were declared, and never started", () => {
    assert.equal(late([declared(1), recorded(1)], "a-1", "a-2"), 1);
    assert.equal(late([declared(1), recorded(1)], ...SEEDS), 0);
  });

  test("are none of an attempt that was abandoned, of another cluster, or before there is one", () => {
    assert.equal(late([declared(1), recorded(2)]), 0);
    assert.equal(late([declared(1, "other"), recorded(1)]), 0);
    assert.equal(late([declared(1)]), 0);
  });

  function late(writes: readonly Written[], ...up: readonly string[]): number {
    const starts = up.map((pod): ProcessStarted => {
      const start = { pod, atMs: 0, disk: pod, found: { kind: "empty" }, version: "3.5.16", outcome: "bootstrapped" };
      return start as ProcessStarted;
    });
    return lateFounders(...foundersInModel(objectsWritten(...writes).events, { starts }));
  }

  function declared(incarnation: number, uid = "one"): Written {
    const memberIntents = SEEDS.map((name) => ({ name, incarnation, purpose: "Seed" }));
    return ["etcdclusters/a", { metadata: { uid }, status: { incarnation, memberIntents } }];
  }

  function recorded(incarnation: number): Written {
    return ["etcdclusters/a", { metadata: { uid: "one" }, status: { incarnation, clusterID: "a1" } }];
  }
});

describe("a run with a late initial member", () => {
  const calm = {
    endState: ['pods/a-#3.spec.initContainers[guard].env[GUARD_START].value = "seed"', "services/a.spec.x = 1"],
    comingsAndGoings: ["pods/a-* created 3 times", "services/a created 1 times"],
  };
  const run = {
    endState: ['pods/a-#3.spec.initContainers[guard].env[GUARD_START].value = "joining"', "services/a.spec.x = 1"],
    comingsAndGoings: ["pods/a-* created 4 times", "pods/a-* deleted 1 times", "services/a created 1 times"],
  };

  test("may have made one more member, which joined", () => {
    assert.deepEqual(differencesBut(1, calm, run), []);
    assert.equal(differencesBut(0, calm, run).length, 5);
  });

  test("may differ in nothing else", () => {
    const more = { ...run, comingsAndGoings: ["pods/a-* created 5 times", "services/a created 2 times"] };
    assert.deepEqual(differencesBut(1, calm, more), [
      "missing: pods/a-* created 3 times",
      "missing: services/a created 1 times",
      "unexpected: pods/a-* created 4 times",
      "unexpected: services/a created 2 times",
    ]);
    const other = { ...run, endState: [run.endState[0] ?? "", "services/a.spec.x = 2"] };
    assert.deepEqual(differencesBut(1, calm, other), [
      "missing: services/a.spec.x = 1",
      "unexpected: services/a.spec.x = 2",
    ]);
  });
});
