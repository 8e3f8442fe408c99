import assert from "node:assert/strict";
import { test } from "vitest";
import { everyStart, type Family, failureFrom } from "./exhaustive.ts";

// Minutes on a machine that is busy with other tests.
const TIMEOUT_MS = 600_000;
const MOST_SHOWN = 3;

/** The same test for each kind of cluster; in files of their own, so that they run beside each other. */
export function everyStartComesRight(family: Family): void {
  const kind = family.hasLearners ? "with learners" : "of an etcd without learners";
  test(
    `every cluster of up to five members ${kind} comes right, and no step on the way is dangerous`,
    () => {
      const known = new Set<string>();
      const failures: string[] = [];
      for (const start of everyStart(family)) {
        const why = failureFrom(start, known);
        if (why) failures.push(`${JSON.stringify(start)}\n  ${why}`);
        if (failures.length >= MOST_SHOWN) break;
      }
      assert.deepEqual(failures, []);
    },
    TIMEOUT_MS,
  );
}
