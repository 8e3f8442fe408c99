import type { Plan, PlanResult, Suite } from "../plan.ts";
import { played } from "./play.ts";
import { clockPlays } from "./plays.ts";

/** Clocks that are wrong, are set, and differ between operators and nodes; and operators whose scope ends unseen. */
export const clocksSuite: Suite = {
  name: "clocks",
  place: "in-process",
  async plans(seed, extent) {
    const wanted = clockPlays.filter(({ name }) => extent === "full" || QUICK.includes(name));
    return wanted.map(({ name, workload }) => ({ suite: "clocks", name, seed, workload: workload.name }));
  },
  async run(plans, tell, signal) {
    for (const plan of plans) {
      if (signal.aborted) return;
      tell(await runPlan(plan));
    }
  },
};

const QUICK = ["briefly-away/step-ahead-1h-at-first"];

async function runPlan(plan: Plan): Promise<PlanResult> {
  const play = clockPlays.find(({ name }) => name === plan.name);
  if (!play) return { plan, failures: [`there is no plan ${plan.name}`] };
  try {
    return { plan, ...(await played(play, plan.seed)) };
  } catch (error) {
    return { plan, failures: [`the run broke off: ${error instanceof Error ? error.stack : error}`] };
  }
}
