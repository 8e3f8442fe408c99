import { namespacesAreGone } from "../local-world/namespaces-are-gone.ts";
import type { Plan, PlanResult, Suite } from "../plan.ts";
import { type LoadPlan, loadPlans, quickPlan, SUITE } from "./plan.ts";
import { runLoad } from "./run-load.ts";
import { LoadWorld } from "./world.ts";

/** So many clusters of three to five members leave two cores time for elections. */
const AT_ONCE = 4;

/** Real etcd under load: clients whose histories are checked, while all around them fails. */
export const loadSuite: Suite = {
  name: SUITE,
  place: "local-mode",
  async plans(seed, extent) {
    return extent === "quick" ? [quickPlan(seed)] : [...loadPlans(seed), quickPlan(seed)];
  },
  run: runLoadPlans,
};

/** Runs plans beside each other on one local mode, which is gone afterwards. */
export async function runLoadPlans(
  plans: readonly Plan[],
  tell: (result: PlanResult) => void,
  signal: AbortSignal,
): Promise<void> {
  const world = await LoadWorld.start();
  try {
    const waiting = plans.map(whole);
    const work = async () => {
      for (let plan = waiting.shift(); plan && !signal.aborted; plan = waiting.shift()) {
        const result = await runLoad(plan, world, signal);
        // One that was cancelled has shown nothing.
        if (!signal.aborted) tell(result);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    if (signal.aborted) return;
    await namespacesAreGone(world.client, SUITE);
    await world.loops.areOver();
  } finally {
    await world.stop();
  }
}

/** A plan's name and seed say everything. */
function whole({ name, seed }: Plan): LoadPlan {
  const found = [...loadPlans(seed), quickPlan(seed)].find((plan) => plan.name === name);
  if (!found) throw new Error(`suite ${SUITE} has no plan '${name}'`);
  return found;
}
