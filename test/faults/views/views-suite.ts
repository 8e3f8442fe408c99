import type { Plan, PlanResult, Suite } from "../plan.ts";
import { NAMED_BUGS } from "./named-bugs.ts";
import { isAboutSomething, type Play, played } from "./play.ts";
import { travels } from "./travels/every-travel.ts";
import { viewed } from "./viewed-workloads.ts";

/**
 * Every workload, seen wrongly in every way; and every pair of deletions and changes of size, after which the past
 * returns.
 */
export const viewsSuite: Suite = {
  name: "views",
  place: "in-process",
  async plans(seed, extent, only = "") {
    const plans: Plan[] = [];
    const asked = playsOf(seed).filter(({ name }) => name.startsWith(only));
    for (const play of asked.length > 0 ? asked : playsOf(seed)) {
      const isWanted = extent === "full" || NAMED_BUGS.includes(play);
      if (isWanted && (await isAboutSomething(play, seed))) plans.push(planOf(play, seed));
    }
    return plans;
  },
  async run(plans, tell, signal) {
    for (const plan of plans) {
      if (signal.aborted) return;
      tell(await runPlan(plan));
    }
  },
};

export function playsOf(seed: number): readonly Play[] {
  return [...NAMED_BUGS, ...viewed(seed), ...travels(seed)];
}

function planOf({ name, row }: Play, seed: number): Plan {
  return { suite: "views", name, seed, workload: row };
}

async function runPlan(plan: Plan): Promise<PlanResult> {
  const play = playsOf(plan.seed).find(({ name }) => name === plan.name);
  if (!play) return { plan, failures: [`there is no plan ${plan.name}`] };
  try {
    return { plan, ...(await played(play, plan.seed)) };
  } catch (error) {
    return { plan, failures: [`the run broke off: ${error instanceof Error ? error.stack : error}`] };
  }
}
