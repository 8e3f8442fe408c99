import type { Plan, PlanResult, Suite } from "../plan.ts";
import { notCaught } from "./caught.ts";
import { innerPlan } from "./inner-plan.ts";
import type { Mutant } from "./mutant.ts";
import { mutants } from "./mutants.ts";
import { resultsOf } from "./run-mutant.ts";
import { withoutBug } from "./without-bug.ts";

const CONTROL = "without-bug/";

/**
 * Known bugs are put into the operator, and have to be found by the plans that are named for them; which pass without.
 */
export const mutantsSuite: Suite = {
  name: "mutants",
  place: "in-process",
  async plans(seed, extent) {
    const ofMutants = mutants.map(({ name }): Plan => ({ suite: "mutants", name, seed, workload: "known bugs" }));
    const controls = controlled.map(
      (name): Plan => ({ suite: "mutants", name: `${CONTROL}${name}`, seed, workload: "without the bugs" }),
    );
    // A run of its own for each of them takes its time.
    return extent === "full" ? [...ofMutants, ...controls] : ofMutants.filter((_, at) => at % QUICK_EVERY === 0);
  },
  async run(plans, tell, signal) {
    for (const plan of plans) {
      if (signal.aborted) return;
      tell(await runPlan(plan, signal));
    }
  },
};

const QUICK_EVERY = 13;

/** Every plan that is to find a bug, once. */
const controlled = [...new Set(mutants.flatMap(({ caughtBy }) => caughtBy))];

async function runPlan(plan: Plan, signal: AbortSignal): Promise<PlanResult> {
  try {
    if (plan.name.startsWith(CONTROL))
      return { plan, failures: await withoutBug(innerPlan(plan.name.slice(CONTROL.length)), signal) };
    const mutant = mutants.find(({ name }) => name === plan.name);
    return mutant ? await runMutant(plan, mutant, signal) : { plan, failures: [`there is no mutant ${plan.name}`] };
  } catch (error) {
    return { plan, failures: [`the run broke off: ${error instanceof Error ? error.stack : error}`] };
  }
}

async function runMutant(plan: Plan, mutant: Mutant, signal: AbortSignal): Promise<PlanResult> {
  const failures = notCaught(mutant, await resultsOf(mutant, signal));
  return { plan, failures, notes: [`${mutant.reference}: ${mutant.bug}`] };
}
