import assert from "node:assert/strict";
import { test } from "vitest";
import { everyStart, type Family, failureFrom, MOST_MEMBERS } from "./exhaustive.ts";
import { OUTDATED, type Start, VOTERS } from "./situations.ts";

// Minutes on a machine that is busy with other tests.
const TIMEOUT_MS = 600_000;
const MOST_SHOWN = 3;

/** The same tests for each kind of cluster; in files of their own, so that they run beside each other. */
export function everyStartComesRight(family: Family): void {
  const kind = family.hasLearners ? "with learners" : "of an etcd without learners";
  test(
    `every cluster of up to five members ${kind} comes right, and no step on the way is dangerous`,
    () => assertAllComeRight(everyStart(family, VOTERS, MOST_MEMBERS)),
    TIMEOUT_MS,
  );
  test(
    `every cluster of up to four members ${kind} gets what the spec asks for, and no step on the way is dangerous`,
    () => assertAllComeRight(everyStart(family, ["healthy", "gone", "hidden", ...OUTDATED], 4)),
    TIMEOUT_MS,
  );
}

function assertAllComeRight(starts: Iterable<Start>): void {
  const known = new Set<string>();
  const failures: string[] = [];
  for (const start of starts) {
    const why = failureFrom(start, known);
    if (why) failures.push(`${JSON.stringify(start)}\n  ${why}`);
    if (failures.length >= MOST_SHOWN) break;
  }
  assert.deepEqual(failures, []);
}
