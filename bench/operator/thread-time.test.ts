import assert from "node:assert/strict";
import { test } from "vitest";
import { runSeconds, threadSeconds } from "./thread-time.ts";

test("of what the kernel tells of a thread, the first field is its time on a processor", () => {
  assert.equal(runSeconds("1500000000 20 300\n"), 1.5);
});

test("a process that works has more of it afterwards", async () => {
  const start = process.cpuUsage();
  const before = await threadSeconds(process.pid);
  for (let worked = 0; worked < 50_000; worked = workedSince(start));
  const used = (await threadSeconds(process.pid)) - before;
  assert.ok(used >= 0.02, `${used} s`);
});

/** In microseconds, as the process itself knows it: on a busy machine that is less than what a clock tells. */
function workedSince(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start);
  return user + system;
}
