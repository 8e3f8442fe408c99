import { randomOf } from "../../model/random.ts";
import type { Plan, PlanResult, Suite } from "../plan.ts";
import { clusterScene } from "./cluster-scene.ts";
import { entryOf, valuesOf } from "./entry.ts";
import { type Play, play } from "./play.ts";
import { propertiesOf } from "./property.ts";
import type { Scene } from "./scene.ts";
import { overlaps, stepsInTrouble, stepsOnRunning } from "./step.ts";

export interface NamedPlay extends Play {
  /** Such as "EtcdCluster.pod.labels/in-trouble". */
  readonly name: string;
  readonly workload: string;
}

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
const QUICK_EVERY = 17;

const SCENES = { EtcdCluster: clusterScene } as const;

/** All plays of a seed; which trouble an object is in is drawn from it. */
export function playsOf(seed: number): readonly NamedPlay[] {
  const random = randomOf(seed);
  return Object.entries(SCENES).flatMap(([kind, scene]: [string, Scene]) =>
    propertiesOf(kind as keyof typeof SCENES).flatMap((property): readonly NamedPlay[] => {
      const { path } = property;
      const values = valuesOf(property, entryOf(scene.entries, property));
      const troubles = scene.troubles.filter((trouble) => !overlaps(trouble.path, path));
      const trouble = random.pick(troubles);
      const running = { name: `${kind}.${path}/running`, workload: kind, scene, property };
      const inTrouble = { name: `${kind}.${path}/in-trouble`, workload: `${kind} in trouble`, scene, property };
      return [
        { ...running, steps: stepsOnRunning(values), isInTrouble: false },
        ...(trouble ? [{ ...inTrouble, steps: stepsInTrouble(values, trouble), isInTrouble: true }] : []),
      ];
    }),
  );
}

async function runPlan(plan: Plan): Promise<PlanResult> {
  const found = playsOf(plan.seed).find(({ name }) => name === plan.name);
  if (!found) return { plan, failures: [`there is no plan ${plan.name}`] };
  try {
    const { failures, transitions, longestMs } = await play(found, plan.seed);
    return { plan, failures, convergenceMs: longestMs, notes: [`${transitions} of ${found.steps.length} edits`] };
  } catch (error) {
    return { plan, failures: [`the run broke off: ${error instanceof Error ? error.stack : error}`] };
  }
}
