import type { Plan, PlanResult, Suite } from "../plan.ts";
import { played } from "./play.ts";
import { admissionPlays } from "./plays.ts";

/** Webhooks, quotas and limits that change what the operator writes, or refuse it for a while. */
export const admissionSuite: Suite = {
  name: "admission",
  place: "in-process",
  async plans(seed, extent) {
    const wanted = admissionPlays.filter(({ name }) => extent === "full" || QUICK.includes(name));
    return wanted.map(({ name, workload }) => ({ suite: "admission", name, seed, workload: workload.name }));
  },
  async run(plans, tell, signal) {
    for (const plan of plans) {
      if (signal.aborted) return;
      tell(await runPlan(plan));
    }
  },
};

const QUICK = ["everything/create", "digest/version-roll", "quota/scale-up"];

async function runPlan(plan: Plan): Promise<PlanResult> {
  const play = admissionPlays.find(({ name }) => name === plan.name);
  if (!play) return { plan, failures: [`there is no plan ${plan.name}`] };
  try {
    return { plan, ...(await played(play, plan.seed)) };
  } catch (error) {
    return { plan, failures: [`the run broke off: ${error instanceof Error ? error.stack : error}`] };
  }
}
