import type { Plan, PlanResult } from "../plan.ts";
import { inSuiteChild } from "../run/suite-child.ts";
import { innerPlan } from "./inner-plan.ts";
import type { Mutant } from "./mutant.ts";

const LIST = new URL("../suites.ts", import.meta.url);
const PRELUDE = new URL("./apply-mutant.ts", import.meta.url);
/** Many mutants never come to their end; without one, hardly a plan takes as long. */
const LIMIT_MINUTES = 4;
/** Shorter than what the process has in which this runs. */
const PATIENCE_MS = 100_000;

/** Runs the plans that are to find a mutant, in processes whose operator has its bug. */
export async function resultsOf(mutant: Mutant, signal: AbortSignal): Promise<readonly PlanResult[]> {
  const { name, caughtBy, limitMinutes = LIMIT_MINUTES } = mutant;
  const results: PlanResult[] = [];
  for (const [suite, plans] of bySuite(caughtBy.map(innerPlan))) {
    const outcome = await inSuiteChild({
      module: LIST,
      order: { do: "run", suite, plans },
      patienceMs: PATIENCE_MS,
      graceMs: 0,
      signal,
      prelude: { module: PRELUDE, env: { FAULTS_MUTANT: name, FAULTS_LIMIT_MINUTES: String(limitMinutes) } },
      hear: (word) => word.kind === "result" && results.push(word.result),
    });
    if (outcome.kind === "lost") throw new Error(outcome.why);
  }
  return results;
}

function bySuite(plans: readonly Plan[]): ReadonlyMap<string, readonly Plan[]> {
  return new Map(plans.map(({ suite }) => [suite, plans.filter((plan) => plan.suite === suite)]));
}
