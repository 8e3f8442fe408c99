import assert from "node:assert/strict";
import { test } from "vitest";
import type { Plan, PlanResult } from "../plan.ts";
import { summary, toldFailure } from "./report.ts";
import { type PlannedSuite, Score, shareDone } from "./score.ts";

test("the end of a run has what failed, a row for each workload, the seed, and the totals as the last line", () => {
  const score = new Score();
  const planned = [
    aSuite("writes", "in-process", ["create", "create", "scale"]),
    aSuite("load", "local-mode", ["load"]),
  ];
  score.add(resultOf(planned, 0, 0, { convergenceMs: 900 }));
  score.add(resultOf(planned, 0, 1, { convergenceMs: 75_000, failures: ["a pod is left:\nb"] }));
  score.add(resultOf(planned, 1, 0, { writeGapMs: 2345.6 }));
  score.troubles.push({ suite: "writes", why: "1 of 3 plans were not run" });
  const told = summary({ planned, score, tookMs: 125_000, isInterrupted: false }, 3, "results.json");
  assert.equal(
    told,
    `
What failed:
FAILED writes/create/1, SEED=3
  - a pod is left:
    b
  plan: {"suite":"writes","name":"create/1","seed":3,"workload":"create"}
  again: make faults ONLY='writes/create/1' SEED=3
FAILED writes, SEED=3
  - 1 of 3 plans were not run
  again: make faults SUITE=writes SEED=3

suite   workload  plans  failures  longest convergence  longest write gap  time
writes  create    2      1         1 min 15 s           -                  virtual
writes  scale     0      0         -                    -                  virtual
load    load      1      0         -                    2.3 s              real

SEED=3, 2 min 5 s, results in results.json
faults: 3 plans, 2 failures`,
  );
});

test("a run that was interrupted says how far it came", () => {
  const planned = [aSuite("writes", "in-process", ["create", "create"])];
  const told = summary({ planned, score: new Score(), tookMs: 1, isInterrupted: true }, 1, "f");
  assert.match(told, /\ninterrupted after 0 of 2 plans\n/);
});

test("a suite that was left out is reported again in the end, as the totals do not show it", () => {
  const score = new Score();
  score.leftOut.push({ suite: "writes-kube", why: "there is no kube-apiserver" });
  const told = summary({ planned: [], score, tookMs: 1, isInterrupted: false }, 1, "f");
  assert.match(told, /\nleft out writes-kube: there is no kube-apiserver\nSEED=1, .*\nfaults: 0 plans, 0 failures$/);
});

test("a plan is printed completely, also numbers that JSON does not have", () => {
  const plan = { suite: "a", name: "b", seed: 1, workload: "c", revision: 5n };
  assert.match(toldFailure({ plan, failures: ["x"] }), /"revision":"5"/);
});

test("a second result of a plan is not counted", () => {
  const score = new Score();
  const planned = [aSuite("writes", "in-process", ["create"])];
  assert.equal(score.add(resultOf(planned, 0, 0, {})), true);
  assert.equal(score.add(resultOf(planned, 0, 0, { failures: ["late"] })), false);
  assert.equal(score.results.length, 1);
});

test("a suite counts by the time that it takes for how far the run is", () => {
  const score = new Score();
  const planned = [
    aSuite("writes", "in-process", ["create", "create"], 1),
    aSuite("load", "local-mode", ["load", "load", "load"], 3),
  ];
  score.add(resultOf(planned, 0, 0, {}));
  score.add(resultOf(planned, 0, 1, {}));
  assert.equal(shareDone(planned, score), 0.25);
  score.add(resultOf(planned, 1, 2, {}));
  assert.equal(shareDone(planned, score), 0.5);
});

function aSuite(
  name: string,
  place: PlannedSuite["entry"]["place"],
  workloads: readonly string[],
  minutes = 1,
): PlannedSuite {
  const load = () => Promise.reject(new Error("not needed"));
  const plans = workloads.map((workload, at) => ({ suite: name, name: `${workload}/${at}`, seed: 3, workload }));
  return { entry: { name, place, minutes, load }, plans };
}

function resultOf(
  planned: readonly PlannedSuite[],
  suite: number,
  plan: number,
  more: Partial<PlanResult>,
): PlanResult {
  return { plan: planned[suite]?.plans[plan] as Plan, failures: [], ...more };
}
