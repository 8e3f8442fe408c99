import assert from "node:assert/strict";
import { test } from "vitest";
import { WriteTally } from "./write-tally.ts";

test("a gap is between two acknowledgements, of any client", () => {
  const tally = new WriteTally();
  for (const nowMs of [100, 110, 400, 405]) tally.acknowledge(nowMs - 5, nowMs);
  assert.equal(tally.report(410).longestGapMs, 290);
});

test("the time before the first acknowledgement is no gap, that after the last one is", () => {
  const tally = new WriteTally();
  assert.equal(tally.report(1_000).longestGapMs, 0);
  tally.acknowledge(900, 1_000);
  assert.equal(tally.report(1_700).longestGapMs, 700);
});

test("writes that failed, tries and the slowest write are told beside those that were acknowledged", () => {
  const tally = new WriteTally();
  tally.acknowledge(0, 10);
  tally.retry();
  tally.retry();
  tally.acknowledge(20, 1_010);
  tally.fail();
  assert.deepEqual(tally.report(1_010), {
    acknowledged: 2,
    failed: 1,
    retries: 2,
    perSecond: 2,
    longestGapMs: 1_000,
    slowestMs: 990,
  });
});
