import assert from "node:assert/strict";
import { test } from "vitest";
import type { Figure } from "../figure.ts";
import type { Measured } from "./measured.ts";
import { figuresOf, growthOf } from "./scale-figures.ts";

function found(clusters: number, given: { memoryMib?: number; cpuPercent?: number; needless?: number } = {}): Measured {
  const { memoryMib = 150, cpuPercent = 1, needless = 0 } = given;
  const quick = { p50: 5, p99: 50 };
  return {
    clusters,
    reconciledMs: [14_000],
    startCpuMs: [5_000],
    idle: {
      cpuPercent: [cpuPercent],
      memoryMib: [memoryMib],
      queueMs: quick,
      apiPerSecond: { "update leases": 0.3, "watch pods": 0.1 },
      needless,
      etcdPerSecond: { Status: 6 },
    },
    changing: [{ cpuPercent: 10, queueMs: quick, actedOnMs: { p50: 20, p99: 101 } }],
    mostMemoryMib: 180,
  };
}

function named(figures: readonly Figure[], part: string): Figure {
  const shown = figures.find(({ name }) => name.includes(part));
  assert.ok(shown, part);
  return shown;
}

test("what is promised for a thousand holds for fewer, and grows with more", () => {
  const limits = [100, 1_000, 5_000].map((clusters) => named(figuresOf(found(clusters)), "memory, idle").limit);
  assert.deepEqual(limits, [200, 200, 1_000]);
});

test("who waits for a change waits no longer because there are more clusters", () => {
  const figures = figuresOf(found(5_000));
  assert.equal(named(figures, "a change is acted on, p50").met, true);
  assert.equal(named(figures, "a change is acted on, p99").limit, 100);
  assert.equal(named(figures, "a change is acted on, p99").met, false);
});

test("one request beyond what is due is one too many", () => {
  assert.equal(named(figuresOf(found(1_000)), "beyond watches").met, true);
  assert.equal(named(figuresOf(found(1_000, { needless: 1 })), "beyond watches").met, false);
});

test("requests are told by their kind, and summed", () => {
  const { value, parts } = named(figuresOf(found(1_000)), "requests to the API server, idle");
  assert.equal(value, 0.4);
  assert.deepEqual(parts, { "update leases": 0.3, "watch pods": 0.1 });
});

test("growth is linear when a cluster costs no more among many", () => {
  const fewer = found(100, { memoryMib: 100, cpuPercent: 1 });
  const linear = growthOf(fewer, found(1_000, { memoryMib: 500, cpuPercent: 10 }));
  assert.ok(named(linear, "memory").met && named(linear, "processor").met);
  assert.equal(named(growthOf(fewer, found(1_000, { cpuPercent: 11 })), "processor").met, false);
});
