import assert from "node:assert/strict";
import { test } from "vitest";
import { calmFailuresOf, failuresOf, planFailuresOf } from "./judge.ts";
import type { RealOutcome } from "./run-workload.ts";
import { wholeWorkloads } from "./whole-workloads.ts";

function anOutcome(given: Partial<RealOutcome> = {}): RealOutcome {
  return {
    ...{ namespace: "writes-1", sent: [], wasInjected: true, missing: [], violations: [], convergenceMs: 0 },
    ...{ endState: [], comingsAndGoings: [], lateFounders: 0, ...given },
  };
}

test("what differs only by its namespace and by the size of a database is the same", () => {
  const of = (namespace: string, bytes: number) =>
    anOutcome({
      namespace,
      endState: [`pods/a.metadata.namespace = "${namespace}"`, `x.databaseSizeBytes = ${bytes}`],
    });
  assert.deepEqual(failuresOf(of("writes-1", 20_480), of("writes-22", 24_576)), []);
});

test("another pod than in the run without faults is a failure", () => {
  const run = anOutcome({ comingsAndGoings: ["pods/a-* created 2 times"] });
  const found = failuresOf(anOutcome({ comingsAndGoings: ["pods/a-* created 1 times"] }), run);
  assert.deepEqual(found, ["missing: pods/a-* created 1 times", "unexpected: pods/a-* created 2 times"]);
});

test("where the others had bootstrapped the cluster without one of them, another may have joined in its place", () => {
  const [calm, run] = ["seed", "joining"].map((start) =>
    anOutcome({ endState: [`pods/a-#3.spec.initContainers[guard].env[GUARD_START].value = "${start}"`] }),
  );
  assert.ok(calm && run);
  assert.deepEqual(failuresOf(calm, { ...run, lateFounders: 1 }), []);
  assert.equal(failuresOf(calm, run).length, 2);
});

test("a write that no plan knows of is a failure of the run without faults, and so is one that did not come", () => {
  const [create] = wholeWorkloads;
  assert.ok(create);
  const [first = "", ...rest] = create.writes;
  const sent = [...rest, "move-leader-1", "word-9-after-post-pods-2"];
  const [unknown, absent, ...more] = calmFailuresOf(create, anOutcome({ sent }));
  assert.equal(unknown, "move-leader-1 is on no list");
  assert.match(absent ?? "", new RegExp(`^${first} was not sent`));
  assert.deepEqual(more, []);
});

test("a plan whose write came in its second run is judged by its first run, too", () => {
  const [missed, broken] = [anOutcome({ wasInjected: false }), anOutcome({ violations: ["a write is lost"] })];
  assert.deepEqual(planFailuresOf(anOutcome(), [missed, anOutcome()], "post-pods-1"), []);
  const first = { ...broken, wasInjected: false };
  assert.deepEqual(planFailuresOf(anOutcome(), [first, anOutcome()], "post-pods-1"), ["a write is lost"]);
  assert.deepEqual(planFailuresOf(anOutcome(), [missed, broken], "post-pods-1"), ["a write is lost"]);
});

test("a plan whose write never came has failed, and says what came instead", () => {
  const missed = anOutcome({ wasInjected: false, sent: ["intents-1"] });
  const [found, ...more] = planFailuresOf(anOutcome(), [missed, missed], "post-pods-1");
  assert.equal(found, "there was no post-pods-1, but intents-1 in run 1; intents-1 in run 2");
  assert.deepEqual(more, []);
});
