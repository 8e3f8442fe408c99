import { type Outcome, runWorkload } from "../workloads/run-workload.ts";
import type { Workload } from "../workloads/workload.ts";
import type { MemoryEtcd } from "../world/memory-etcd.ts";
import type { View } from "../world/world.ts";
import { Recorded } from "./stages/recorded.ts";
import type { Told } from "./told.ts";
import { Arming, wrongView } from "./wrong-view.ts";

/** A run in which the operator's view is correct, and the events that it gets. */
export interface CalmRun {
  readonly outcome: Outcome;
  readonly told: Told;
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
  let store: MemoryEtcd | undefined;
  const recorded = new Recorded(() => store?.events.at(-1)?.keyValue.modRevision ?? 0n);
  const arming = new Arming();
  arming.isArmed = true;
  const recording = wrongView({ stages: [recorded.stage] }, arming);
  const view: View = (ask, _, etcd) => {
    store = etcd;
    return recording(ask);
  };
  const outcome = await runWorkload(recordedBy(recorded, workload), { seed, view });
  return { outcome, told: recorded.told };
}

/** The same, written down from what the user does until it is done for the first time. */
function recordedBy(recorded: Recorded, workload: Workload): Workload {
  return {
    ...workload,
    act: async (stage) => {
      recorded.begin();
      await workload.act(stage);
    },
    missing: (stage) => {
      const missing = workload.missing(stage);
      if (missing.length === 0) recorded.end();
      return missing;
    },
  };
}
