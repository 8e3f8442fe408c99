import { type Outcome, runWorkload } from "../workloads/run-workload.ts";
import type { Workload } from "../workloads/workload.ts";
import type { View } from "../world/world.ts";
import { CountedEvents } from "./stages/counted.ts";
import { Arming, wrongView } from "./wrong-view.ts";

/** A run in which the operator sees what there is, and how much it is told. */
export interface CalmRun {
  readonly outcome: Outcome;
  readonly events: CountedEvents;
}

const known = new Map<string, Promise<CalmRun>>();

/** The run without faults that all others are measured by. */
export async function calmRun(workload: Workload, seed: number): Promise<CalmRun> {
  const key = `${workload.name} ${seed}`;
  const run = known.get(key) ?? played(workload, seed);
  known.set(key, run);
  return run;
}

async function played(workload: Workload, seed: number): Promise<CalmRun> {
  const events = new CountedEvents();
  const arming = new Arming();
  const counting = wrongView({ stages: [events.stage] }, arming);
  const view: View = (ask) => counting(ask);
  const act: Workload["act"] = async (stage) => {
    arming.isArmed = true;
    await workload.act(stage);
  };
  return { outcome: await runWorkload({ ...workload, act }, { seed, view }), events };
}
