import assert from "node:assert/strict";
import { test } from "vitest";
import { type CpuProfile, cpuSummary, linesOf } from "./cpu-summary.ts";

const frame = (functionName: string, url = "") => ({ functionName, url, lineNumber: 0, columnNumber: 0 });
const profile: CpuProfile = {
  nodes: [
    { id: 1, callFrame: frame("(idle)") },
    { id: 2, callFrame: frame("ask", "a.ts") },
    { id: 3, callFrame: frame("ask", "a.ts") },
    { id: 4, callFrame: frame("", "b.ts") },
    { id: 5, callFrame: frame("(garbage collector)") },
  ],
  samples: [1, 2, 3, 4, 2, 5],
  timeDeltas: [10_000, 1_000, 2_000, 4_000, 1_000, 2_000],
};

test("time is summed by function and by file wherever they were called from, and idling is no work", () => {
  const summary = cpuSummary(profile, ({ url }) => url);
  assert.deepEqual([summary.busyMs, summary.passedMs], [10, 20]);
  assert.deepEqual(summary.byFile, [
    { what: "a.ts", ms: 4, share: 0.4 },
    { what: "b.ts", ms: 4, share: 0.4 },
    { what: "(garbage collector)", ms: 2, share: 0.2 },
  ]);
  assert.deepEqual(
    summary.byFunction.map(({ what }) => what),
    ["ask  a.ts", "(anonymous)  b.ts", "(garbage collector)"],
  );
});

test("a function has the time of what it calls, once however deep it calls itself", () => {
  const called: CpuProfile = {
    nodes: [
      { id: 1, callFrame: frame("(root)"), children: [2] },
      { id: 2, callFrame: frame("plan", "p.ts"), children: [3, 4] },
      { id: 3, callFrame: frame("plan", "p.ts"), children: [] },
      { id: 4, callFrame: frame("native") },
    ],
    samples: [2, 3, 4],
    timeDeltas: [1_000, 2_000, 3_000],
  };
  assert.deepEqual(cpuSummary(called, ({ url }) => url).withCalled, [{ what: "plan  p.ts", ms: 6, share: 1 }]);
});

test("the lines name the share of each", () => {
  assert.match(
    linesOf(
      "idle",
      cpuSummary(profile, ({ url }) => url),
    ),
    /^idle: busy for 10 of 20 ms\n by file\n +40\.0 % +4 ms {2}a\.ts/,
  );
});
