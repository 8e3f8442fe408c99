import type { Clock } from "@etcd-operator/kubernetes-client";
import { randomOf } from "../../model/random.ts";
import { Disruptions } from "../checks/disruptions.ts";
import { comingsAndGoings, endState } from "../checks/end-state.ts";
import { foundersInModel, lateFounders } from "../checks/late-founders.ts";
import { storedState } from "../checks/stored-state.ts";
import { leftBehind, violations } from "../checks/violations.ts";
import type { FaultAt } from "../transport/fault.ts";
import { Writes } from "../transport/writes.ts";
import { ModelMachine } from "../world/model-machine.ts";
import { VirtualTime } from "../world/virtual-time.ts";
import { type View, World } from "../world/world.ts";
import { CLUSTER, Stage } from "./stage.ts";
import { QUIET_MS, untilAtRest } from "./until-at-rest.ts";
import { Witness } from "./witness.ts";
import type { Workload } from "./workload.ts";
import { writtenByAnother } from "./written-by-another.ts";

export interface RunGiven {
  readonly seed: number;
  readonly faultAt?: FaultAt | undefined;
  readonly view?: View | undefined;
  /** What every operator goes by; the right time unless another is given. */
  readonly clock?: Clock | undefined;
  /** Gets the number of each write of the operator before it is sent. */
  readonly onWrite?: ((write: number, what: string) => void) | undefined;
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
  /** Initial members that had to be replaced. */
  readonly lateFounders: number;
  /** How many processes of etcd were started, the first time and again. */
  readonly starts: number;
  /** From the user's act to the last write, or to when the last was done. */
  readonly convergenceMs: number;
  readonly log: readonly string[];
}

/** Plays a workload in a world of its own, from the beginning to the end of all that it leads to. */
export async function runWorkload(
  workload: Workload,
  { seed, faultAt, view, clock, onWrite }: RunGiven,
): Promise<Outcome> {
  using time = new VirtualTime();
  const random = randomOf(seed);
  const writes = new Writes(faultAt, onWrite);
  const world = await World.open({
    ...{ time, writes, random, view, clock },
    machine: (client, signal) => new ModelMachine({ client, signal, random }),
  });
  const { objects, machine, backups } = world;
  const stage = new Stage({ time, user: world.admin, objects, machine, backups });
  const disruptions = new Disruptions(stage);
  world.onRequest = (asked) => disruptions.see(asked);
  using _ = new Witness(machine.etcd);
  try {
    world.startOperator();
    await workload.prepare(stage);
    await time.pass(QUIET_MS);
    const [revision, startedMs] = [world.revision, time.elapsedMs];
    writes.count();
    const { missing, lastMs } = await played(workload, stage, writes);
    const sent = [...writes.sent];
    const needless = missing.length > 0 ? [] : await writtenByAnother(world, time, writes);
    const metrics = await world.metrics();
    return {
      sent,
      missing,
      violations: [
        ...violations(world, { metrics }),
        ...disruptions.found,
        ...needless,
        ...(missing.length > 0 ? [] : leftBehind(world)),
      ],
      endState: [
        ...endState(objects),
        ...machine.keysOf(CLUSTER).map((key) => `etcd/${key}`),
        ...storedState(backups.store.objects),
      ],
      comingsAndGoings: comingsAndGoings(objects, revision),
      lateFounders: lateFounders(...foundersInModel(objects.events, machine.etcd.facts)),
      starts: machine.etcd.facts.starts.length,
      convergenceMs: lastMs - startedMs,
      log: world.log,
    };
  } finally {
    await world.close();
  }
}

/** All that the user does, and what that leads to. A user that cannot continue reports why. */
async function played(workload: Workload, stage: Stage, writes: Writes) {
  const { time } = stage;
  try {
    await workload.act(stage);
  } catch (error) {
    return { missing: [String(error)], lastMs: time.elapsedMs };
  }
  return untilAtRest(time, { sent: () => writes.sent, missing: () => workload.missing(stage) });
}
