import assert from "node:assert/strict";
import { test } from "vitest";
import { type Family, failuresAmong, startsOf } from "./exhaustive.ts";

// Minutes on a machine that is busy with other tests.
const TIMEOUT_MS = 600_000;

/**
 * The same tests for each kind of cluster; in files of their own, so that they run beside each other. Larger ones:
 * `make properties`.
 */
export function everyStartComesRight(family: Family): void {
  const kind = family.hasLearners ? "with learners" : "of an etcd without learners";
  test(
    `every cluster of up to three members ${kind} comes right and gets what the spec asks for, and no step on the way is dangerous`,
    async () => assert.deepEqual(await failuresAmong(startsOf(family, 3)), []),
    TIMEOUT_MS,
  );
}
