import assert from "node:assert/strict";
import { test } from "vitest";
import { quickPlan } from "../../faults/load/plan.ts";
import { runLoadPlans } from "../../faults/load/suite.ts";
import type { PlanResult } from "../../faults/plan.ts";

const SEED = Number(process.env.SEED ?? 20_261_116);

test(`what clients were answered while leaders and the operator were killed adds up (seed ${SEED})`, async () => {
  const results: PlanResult[] = [];
  await runLoadPlans([quickPlan(SEED)], (result) => results.push(result), new AbortController().signal);
  for (const note of results.flatMap(({ notes = [] }) => notes)) process.stdout.write(`  ${note}\n`);
  assert.deepEqual(
    results.flatMap(({ failures }) => failures),
    [],
  );
  assert.equal(results.length, 1);
}, 240_000);
