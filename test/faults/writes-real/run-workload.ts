import { setTimeout as pause } from "node:timers/promises";
import { loopsIn } from "@etcd-operator/testing/loops/loops.ts";
import { comingsAndGoings, endState } from "../checks/end-state.ts";
import { lateFounders } from "../checks/late-founders.ts";
import { type AddressedFault, AddressedWrites } from "./addressed-writes.ts";
import type { Ground } from "./ground.ts";
import type { RealWorkload } from "./workload.ts";

/** What became of a workload. */
export interface RealOutcome {
  readonly namespace: string;
  readonly sent: readonly string[];
  readonly wasInjected: boolean;
  readonly missing: readonly string[];
  /** What must never happen, and did. */
  readonly violations: readonly string[];
  readonly endState: readonly string[];
  readonly comingsAndGoings: readonly string[];
  /** Initial members that had to be replaced. */
  readonly lateFounders: number;
  /** From the fault, or else from the user's act, to the moment when nothing was missing. */
  readonly convergenceMs: number;
}

/** A slow machine is no failure. */
const LIMIT_MS = 120_000;
const LOOK_MS = 100;
/**
 * So long after its last write an operator counts as idle; another one, which has just started, must then agree.
 */
const QUIET_MS = 1_000;
/** A machine may be so slow that a write comes later than that; for ever it does not. */
const RESTS = 4;

/** Plays a workload on a ground, from the user's act to the end of all that it leads to. */
export async function runRealWorkload(
  workload: RealWorkload,
  ground: Ground,
  faultAt?: AddressedFault,
): Promise<RealOutcome> {
  const [fromLine, fromWrite] = [ground.operators.log.length, ground.operators.written.length];
  await workload.prepare(ground);
  await quiet(ground);
  const keepsData = ground.pods.length > 0 && !workload.losesData;
  if (keepsData) await ground.putKept();
  const { revision } = ground.objects;
  const clustersBefore = ground.objects.clusterIds.length;
  const writes = new AddressedWrites(faultAt);
  ground.operators.writes = writes;
  const startedMs = performance.now();
  await workload.act(ground);
  const missing = await done(workload, ground);
  const convergenceMs = Math.round(performance.now() - (writes.faultMs ?? startedMs));
  if (missing.length === 0) await workload.finish?.(ground);
  const restless = missing.length > 0 ? [] : await rest(workload, ground);
  return {
    namespace: ground.namespace,
    sent: writes.sent,
    wasInjected: writes.faultMs !== undefined,
    missing: [...missing, ...restless],
    violations: [
      ...ground.operators.ends,
      ...otherClusters(workload, ground, clustersBefore),
      ...ground.membership.broken,
      ...ground.secretsSeen(fromLine),
      ...loopsIn(ground.operators.written.slice(fromWrite)),
      ...(keepsData && missing.length === 0 ? await ground.lostData() : []),
    ],
    endState: endState(ground.objects),
    comingsAndGoings: comingsAndGoings(ground.objects, revision),
    lateFounders: lateFounders(ground.objects.clusterVersions, ground.objects.cameUp),
    convergenceMs,
  };
}

async function done(workload: RealWorkload, ground: Ground): Promise<readonly string[]> {
  const untilMs = performance.now() + LIMIT_MS;
  for (;;) {
    const missing = await workload.missing(ground);
    if (missing.length === 0 || performance.now() > untilMs) return missing;
    await pause(LOOK_MS);
  }
}

/**
 * Waits until the operator is done, and until one that knows nothing finds nothing to do either. One that waits, such
 * as for a pod to start, writes nothing and is not done.
 */
async function rest(workload: RealWorkload, ground: Ground): Promise<readonly string[]> {
  let sent: readonly string[] = [];
  for (let left = RESTS; left > 0; left -= 1) {
    await quiet(ground);
    ground.operators.writes = new AddressedWrites();
    await ground.operators.renew();
    await pause(QUIET_MS);
    ({ sent } = ground.operators.writes);
    // What was to be seen for a while may have been brought to its end.
    const isDone = workload.finish !== undefined || (await workload.missing(ground)).length === 0;
    if (isDone && sent.length === 0) return [];
    if (!isDone) await done(workload, ground);
  }
  return [`every new operator finds something to do: ${sent.slice(-5).join(", ")}`];
}

/** The operator has not written for a while. */
async function quiet({ operators: { writes } }: Ground): Promise<void> {
  while (writes.quietMs < QUIET_MS) await pause(QUIET_MS - writes.quietMs);
}

function otherClusters({ founds = 0 }: RealWorkload, { objects }: Ground, before: number): readonly string[] {
  const ids = objects.clusterIds.slice(before);
  return ids.length === founds ? [] : [`${founds} clusters were to be bootstrapped, but there were ${ids.join(", ")}`];
}
