import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { lifeFigures, type Seen } from "./life-figures.ts";
import { LEADER_KILLED } from "./lives.ts";
import type { WriteReport } from "./write-tally.ts";

const report = (longestGapMs: number, failed = 0): WriteReport => ({
  ...{ acknowledged: 1_000, failed, retries: 3, perSecond: 500, longestGapMs, slowestMs: longestGapMs + 1 },
});
const sample = (durationMs: number, longestGapMs: number, failed = 0) => ({
  durationMs,
  writes: report(longestGapMs, failed),
});
const killed: Seen = {
  step: { name: LEADER_KILLED, goal: 1.3, writes: "election" },
  ours: [sample(2_000, 1_400), sample(2_400, 1_600)],
  theirs: [sample(2_000, 1_200), sample(2_000, 2_100)],
};
const named = (seen: readonly Seen[], name: string) => {
  const found = lifeFigures(seen).find((figure) => figure.name === `cluster: ${name}`);
  assert.ok(found, `no figure '${name}'`);
  return found;
};

describe("figures of what clusters go through", () => {
  test("a duration stands beside that by hand", () => {
    const { value, limit, goal, met } = named([killed], LEADER_KILLED);
    assert.deepEqual({ value, limit, goal, met }, { value: 2_200, limit: 2_000, goal: 1.3, met: true });
  });

  test("passes are told where they were counted, and only there", () => {
    const step = { name: "create", goal: 1.15 };
    const seen: Seen = { step, ours: [{ durationMs: 1, passes: 40 }], theirs: [{ durationMs: 1 }] };
    assert.equal(named([seen], "create: passes").value, 40);
    assert.equal(lifeFigures([killed]).length, 2);
  });

  test("a gap may be as long as the longest election of a cluster by hand whose leader was killed", () => {
    const crashed: Seen = { ...killed, step: { ...killed.step, name: "crash" }, ours: [sample(900, 2_101)] };
    assert.equal(named([killed, crashed], `${LEADER_KILLED}: longest write gap`).limit, 2_100);
    assert.equal(named([killed, crashed], "crash: longest write gap").met, false);
  });

  test("a gap may be as long as etcd takes for an election, where those that were seen by hand happened to be short", () => {
    const lucky: Seen = { ...killed, theirs: [sample(1_300, 1_100)] };
    assert.equal(named([lucky], `${LEADER_KILLED}: longest write gap`).limit, 2_000);
  });

  test("how long it takes until a killed leader is back depends on the election, so the slowest by hand is its limit", () => {
    assert.equal(
      named([{ ...killed, theirs: [sample(1_500, 1_100), sample(2_300, 1_900)] }], LEADER_KILLED).limit,
      2_300,
    );
    const step = { name: "heal", goal: 1.3 };
    assert.equal(named([{ ...killed, step, theirs: [sample(1_000, 0), sample(2_000, 0)] }], "heal").limit, 1_500);
  });

  test("a roll has a limit of its own for gaps, and one write that fails in one of its runs is one too many", () => {
    const step = { name: "roll", goal: 1.3, writes: "roll" } as const;
    const runs = [sample(9_000, 400), sample(9_000, 300, 1), sample(9_000, 500)];
    const roll: Seen = { step, ours: runs, theirs: [sample(8_000, 900)] };
    assert.deepEqual(named([roll], "roll: longest write gap").range, [300, 500]);
    assert.equal(named([roll], "roll: longest write gap").limit, 500);
    const failed = named([roll], "roll: writes that failed");
    assert.deepEqual([failed.value, failed.met], [1, false]);
    assert.equal(failed.parts?.["acknowledged, in a second"], 500);
    assert.equal(named([{ ...roll, ours: runs.slice(0, 1) }], "roll: writes that failed").met, true);
  });
});
