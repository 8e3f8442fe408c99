import type { Suite } from "../plan.ts";
import { localWorld } from "./local-world.ts";
import { localPlans } from "./plans.ts";
import { RealPlans } from "./run-plans.ts";

const SUITE = "writes-local";
/** Of every workload that is not done wholly. */
const SAMPLE = 3;
/** So many clusters at a time keep two cores busy, and leave them time for elections. */
const AT_ONCE = 8;

/** Every write of what clusters go through most goes wrong in every way, and a few of the others', with real etcd. */
export const writesLocalSuite: Suite = {
  name: SUITE,
  place: "local-mode",
  plans: async (seed) => localPlans(SUITE, seed, SAMPLE),
  async run(plans, tell, signal) {
    const world = await localWorld(SUITE, plans[0]?.seed ?? 1);
    try {
      await new RealPlans(world, plans).run(AT_ONCE, tell, signal);
    } finally {
      await world.stop();
    }
  },
};
