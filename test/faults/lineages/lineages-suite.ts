import type { Plan, PlanResult, Suite } from "../plan.ts";
import { type Tale, talesOf } from "./plans.ts";

/** A cluster and its data through accidents: deleted, orphaned, restored, rolled back, in any order. */
export const lineagesSuite: Suite = {
  name: "lineages",
  place: "in-process",
  async plans(seed, extent) {
    return talesOf(seed)
      .filter((_, at) => extent === "full" || at % QUICK_EVERY === 0)
      .map(({ name, row }) => ({ suite: "lineages", name, seed, workload: row }));
  },
  async run(plans, tell, signal) {
    for (const plan of plans) {
      if (signal.aborted) return;
      tell(await runPlan(plan));
    }
  },
};

/** Few enough for every `make test`; a prime, so that each accident has its turn. */
const QUICK_EVERY = 29;

async function runPlan(plan: Plan): Promise<PlanResult> {
  const tale = talesOf(plan.seed).find(({ name }) => name === plan.name);
  if (!tale) return { plan, failures: [`there is no plan ${plan.name}`] };
  try {
    return { plan, ...(await told(tale, plan.seed)) };
  } catch (error) {
    return { plan, failures: [`the run broke off: ${error instanceof Error ? error.stack : error}`] };
  }
}

async function told(tale: Tale, seed: number) {
  const { failures, convergenceMs, writeGapMs } = await tale.play(seed);
  return { failures, convergenceMs, writeGapMs };
}
