import type { Plan, PlanResult, Suite } from "../plan.ts";
import { failuresOf } from "./judge.ts";
import { nameOf, plays } from "./plays.ts";

/** Of so many plans every `make test` runs one. */
const QUICK_EVERY = 9;

/**
 * Real clients of ours against servers on this machine that lie: they have to end in time, with a clear error, and in
 * bounded memory.
 */
export const liarsSuite: Suite = {
  name: "liars",
  place: "in-process",
  async plans(seed, extent) {
    const all = plays.map(
      (play): Plan => ({ suite: "liars", name: nameOf(play), seed, workload: play.component.name }),
    );
    return extent === "full" ? all : all.filter((_, at) => at % QUICK_EVERY === 0);
  },
  async run(plans, tell, signal) {
    for (const plan of plans) {
      if (signal.aborted) return;
      tell(await runPlan(plan));
    }
  },
};

async function runPlan(plan: Plan): Promise<PlanResult> {
  const play = plays.find((each) => nameOf(each) === plan.name);
  if (!play) return { plan, failures: [`there is no plan ${plan.name}`] };
  try {
    return { plan, failures: await failuresOf(play) };
  } catch (error) {
    return { plan, failures: [`the run broke off: ${error instanceof Error ? error.stack : error}`] };
  }
}
