import { randomOf } from "../../model/random.ts";
import { comingsAndGoings, endState } from "../checks/end-state.ts";
import { violations } from "../checks/violations.ts";
import type { FaultAt } from "../transport/fault.ts";
import { Writes } from "../transport/writes.ts";
import { ModelMachine } from "../world/model-machine.ts";
import { VirtualTime } from "../world/virtual-time.ts";
import { type View, World } from "../world/world.ts";
import { Stage } from "./stage.ts";
import type { Workload } from "./workload.ts";

export interface RunGiven {
  readonly seed: number;
  readonly faultAt?: FaultAt | undefined;
  readonly view?: View | undefined;
}

/** What became of a workload. */
export interface Outcome {
  /** The operator's writes, in their order. */
  readonly sent: readonly string[];
  /** What was not done in the end. */
  readonly missing: readonly string[];
  /** What must never happen, and did. */
  readonly violations: readonly string[];
  readonly endState: readonly string[];
  readonly comingsAndGoings: readonly string[];
  /** From the user's act to the last write. */
  readonly convergenceMs: number;
  readonly log: readonly string[];
}

const LIMIT_MS = 30 * 60_000;
/** Three resyncs of the controller of clusters, with their jitter. */
const QUIET_MS = 45_000;
/** Who still writes so long after all is done does so for ever. */
const RESTLESS_MS = 10 * 60_000;

/** Plays a workload in a world of its own, from the beginning to the end of all that it leads to. */
export async function runWorkload(workload: Workload, { seed, faultAt, view }: RunGiven): Promise<Outcome> {
  using time = new VirtualTime();
  const random = randomOf(seed);
  const writes = new Writes(faultAt);
  const world = await World.open({
    ...{ time, writes, random, view },
    machine: (client, signal) => new ModelMachine({ client, signal, random }),
  });
  const stage = new Stage({
    time,
    user: world.admin,
    objects: world.objects,
    machine: world.machine,
    backups: world.backups,
  });
  try {
    world.startOperator();
    await workload.prepare(stage);
    await time.pass(QUIET_MS);
    const [revision, startedMs] = [world.revision, time.elapsedMs];
    writes.count();
    await workload.act(stage);
    const { missing, lastMs } = await played(workload, stage, writes);
    return {
      sent: [...writes.sent],
      missing,
      violations: violations(world, stage),
      endState: endState(stage.objects),
      comingsAndGoings: comingsAndGoings(stage.objects, revision),
      convergenceMs: lastMs - startedMs,
      log: world.log,
    };
  } finally {
    await world.close();
  }
}

/** Waits until all is done, and until nothing is written any more. */
async function played(workload: Workload, stage: Stage, writes: Writes) {
  const { time } = stage;
  const last = { atMs: time.elapsedMs, sent: 0 };
  const quietMs = () => {
    if (writes.sent.length !== last.sent) Object.assign(last, { atMs: time.elapsedMs, sent: writes.sent.length });
    return time.elapsedMs - last.atMs;
  };
  await time.until(() => quietMs() >= 0 && workload.missing(stage).length === 0, LIMIT_MS);
  await time.until(() => quietMs() >= QUIET_MS && workload.missing(stage).length === 0, RESTLESS_MS);
  const isAtRest = quietMs() >= QUIET_MS;
  const restless = `the operator does not come to rest: ${writes.sent.slice(-5).join(", ")}`;
  return { missing: [...workload.missing(stage), ...(isAtRest ? [] : [restless])], lastMs: last.atMs };
}
