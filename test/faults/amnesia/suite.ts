import { once } from "node:events";
import { namespacesAreGone } from "../local-world/namespaces-are-gone.ts";
import type { Plan, PlanResult, Suite } from "../plan.ts";
import type { AmnesiaPlan } from "./plan.ts";
import { amnesiaPlans, quickPlans, SUITE } from "./plans.ts";
import { runAmnesiaPlan } from "./run-plan.ts";
import { startWorld } from "./world.ts";

/** So many clusters at a time keep two cores busy, and leave them time for elections. */
const AT_ONCE = 6;

/** Disks that were wiped, damaged, swapped, copied or of another time, under the real operator with real etcd. */
export const amnesiaSuite: Suite = {
  name: SUITE,
  place: "local-mode",
  plans: async (seed, extent) => (extent === "quick" ? quickPlans(seed) : amnesiaPlans(seed)),
  run: runAmnesiaPlans,
};

/** Runs plans beside each other on one local mode, which is gone afterwards. */
async function runAmnesiaPlans(
  plans: readonly Plan[],
  tell: (result: PlanResult) => void,
  signal: AbortSignal,
): Promise<void> {
  const world = await startWorld();
  try {
    const waiting = plans.map(whole);
    const work = async () => {
      for (let plan = waiting.shift(); plan && !signal.aborted; plan = waiting.shift()) {
        const result = await runAmnesiaPlan(plan, world);
        // What is cut short has failed for no reason of its own.
        if (!signal.aborted) tell(result);
      }
    };
    const done = Promise.all(Array.from({ length: AT_ONCE }, work));
    await (signal.aborted ? undefined : Promise.race([done, once(signal, "abort")]));
    if (signal.aborted) return;
    await namespacesAreGone(world.client, SUITE);
    await world.loops.areOver();
  } finally {
    await world.stop();
  }
}

/** A plan's name and seed say everything. */
function whole({ name, seed }: Plan): AmnesiaPlan {
  const found = amnesiaPlans(seed).find((plan) => plan.name === name);
  if (!found) throw new Error(`suite ${SUITE} has no plan '${name}'`);
  return found;
}
