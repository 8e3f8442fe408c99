import type { Suite } from "../plan.ts";
import { kubeWorld } from "./kube-world.ts";
import { samplePlans } from "./plans.ts";
import { RealPlans } from "./run-plans.ts";

const SUITE = "writes-kube";
/** Of every workload. */
const SAMPLE = 5;
const AT_ONCE = 6;

/** Some writes go wrong on a real kube-apiserver, with real etcd. */
export const writesKubeSuite: Suite = {
  name: SUITE,
  place: "local-mode",
  plans: async (seed) => samplePlans(SUITE, seed, SAMPLE),
  async run(plans, tell, signal) {
    const world = await kubeWorld(plans[0]?.seed ?? 1);
    try {
      await new RealPlans(world, plans).run(AT_ONCE, tell, signal);
    } finally {
      await world.stop();
    }
  },
};
