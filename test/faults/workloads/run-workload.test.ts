import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { VirtualTime } from "../world/virtual-time.ts";
import { runWorkload } from "./run-workload.ts";
import { QUIET_MS, untilAtRest } from "./until-at-rest.ts";
import { workloads } from "./workloads.ts";

describe("a run is idle", () => {
  test("when nothing is missing and nothing was written for three resyncs", async () => {
    const { missing, lastMs, endedMs } = await course({ doneAtMs: 5_000, writesAtMs: [1_000, 20_000, 40_000] });
    assert.deepEqual({ missing, lastMs, endedMs }, { missing: [], lastMs: 40_000, endedMs: 40_000 + QUIET_MS });
  });

  test("no sooner than three resyncs after something was missing, though nothing was written", async () => {
    const { missing, lastMs, endedMs } = await course({ doneAtMs: 5_000, missingAgainAtMs: 30_000, writesAtMs: [] });
    assert.deepEqual({ missing, lastMs, endedMs }, { missing: [], lastMs: 30_000, endedMs: 31_000 + QUIET_MS - 1_000 });
  });

  test("never while the operator goes on writing", async () => {
    const writesAtMs = Array.from({ length: 100 }, (_, at) => at * 30_000);
    const { missing } = await course({ doneAtMs: 5_000, writesAtMs });
    assert.match(missing.join(), /^the operator does not come to rest: PUT, PUT, PUT, PUT, PUT$/);
  });

  test("never while something is missing", async () => {
    const { missing } = await course({ doneAtMs: Number.POSITIVE_INFINITY, writesAtMs: [] });
    assert.deepEqual(missing, ["it"]);
  });

  interface Course {
    readonly doneAtMs: number;
    /** For one moment. */
    readonly missingAgainAtMs?: number;
    readonly writesAtMs: readonly number[];
  }

  async function course({ doneAtMs, missingAgainAtMs, writesAtMs }: Course) {
    using time = new VirtualTime();
    const timer = setInterval(() => undefined, 1_000);
    const isMissing = () => time.elapsedMs < doneAtMs || time.elapsedMs === missingAgainAtMs;
    const rest = await untilAtRest(time, {
      sent: () => writesAtMs.filter((atMs) => atMs <= time.elapsedMs && atMs > 0).map(() => "PUT"),
      missing: () => (isMissing() ? ["it"] : []),
    });
    clearInterval(timer);
    return { ...rest, endedMs: time.elapsedMs };
  }
});

describe("a workload", () => {
  const workload = workloads.find(({ name }) => name === "backup");
  if (!workload) throw new Error("there is no such workload");

  test("leaves, where nothing goes wrong, what it should", async () => {
    const { missing, violations, endState, sent } = await runWorkload(workload, { seed: 1 });
    assert.deepEqual([...missing, ...violations], []);
    assert.ok(sent.includes("store put"), sent.join());
    assert.ok(endState.includes("etcd/witness"), "no client wrote anything");
    assert.ok(endState.includes("store/etcd/backup holds witness"), "the backup is empty");
  });
});
