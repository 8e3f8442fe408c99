import type { Plan, PlanResult, Suite } from "../plan.ts";
import { play } from "./play.ts";
import { type NamedPlay, playsOf } from "./plays.ts";

/** Every property of every kind is walked through its values, on what runs and from inside an error. */
export const fieldsSuite: Suite = {
  name: "fields",
  place: "in-process",
  async plans(seed, extent) {
    const plans = playsOf(seed).map(({ name, workload }): Plan => ({ suite: "fields", name, seed, workload }));
    return extent === "full" ? plans : plans.filter((_, at) => at % QUICK_EVERY === 0);
  },
  async run(plans, tell, signal) {
    for (const plan of plans) {
      if (signal.aborted) return;
      tell(await runPlan(plan));
    }
  },
};

/** Odd, so that plans on what runs and from inside an error take turns. */
const QUICK_EVERY = 101;

async function runPlan(plan: Plan): Promise<PlanResult> {
  const found = namedPlays(plan.seed).get(plan.name);
  if (!found) return { plan, failures: [`there is no plan ${plan.name}`] };
  try {
    const { failures, transitions, longestMs } = await play(found, plan.seed);
    return { plan, failures, convergenceMs: longestMs, notes: [`${transitions} of ${found.steps.length} edits`] };
  } catch (error) {
    return { plan, failures: [`the run broke off: ${error instanceof Error ? error.stack : error}`] };
  }
}

const known = new Map<number, ReadonlyMap<string, NamedPlay>>();

function namedPlays(seed: number): ReadonlyMap<string, NamedPlay> {
  const plays = known.get(seed) ?? new Map(playsOf(seed).map((each) => [each.name, each]));
  known.set(seed, plays);
  return plays;
}
