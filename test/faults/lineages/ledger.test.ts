import assert from "node:assert/strict";
import { test } from "vitest";
import { inShort, Ledger } from "./ledger.ts";

const ledger = new Ledger();
for (const [at, clusterId] of ["a", "a", "b"].entries()) {
  ledger.add({ key: `w/${at}`, clusterId, revision: at + 2, atMs: at * 2_000 });
}

test("a write is missing where no place has it", () => {
  const missing = ledger.missingFrom(new Set(["w/0"]), new Map([["w/2", "value"]]));
  assert.deepEqual(
    missing.map(({ key }) => key),
    ["w/1"],
  );
  assert.deepEqual(ledger.missingFrom(new Set(["w/0", "w/1", "w/2"])), []);
});

test("the longest time without a write counts from the first moment to the last", () => {
  assert.equal(ledger.longestGapMs(0, 4_000), 2_000);
  assert.equal(ledger.longestGapMs(0, 20_000), 16_000);
  assert.equal(ledger.longestGapMs(3_000, 5_000), 1_000);
});

test("writes are reported by the first, the last and their number", () => {
  assert.equal(inShort(ledger.writes), "w/0 to w/2, 3 in all");
  assert.equal(inShort(ledger.writes.slice(0, 1)), "w/0");
});
