import { A_CLAIM } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import type { Stage } from "../../workloads/stage.ts";
import type { Workload } from "../../workloads/workload.ts";
import type { Change } from "./change.ts";

/** One change, and then another; where nothing goes wrong, that is all. */
export interface Pair {
  readonly first: Change;
  readonly second: Change;
  readonly onClaims: boolean;
}

/** When the operator's view goes back in time, and to when. */
export interface Departure {
  /** The second change is under way, or all of it is done. */
  readonly when: "midway" | "afterwards";
  /** Before the first change, or between the two. */
  readonly to: "before" | "between";
}

/** Moments of a pair, to travel between them. */
export interface Moments {
  /** Something is about to be changed: the first time, and the second. */
  mark(): void;
  /** The moment of departure. */
  depart(): void;
}

/** How long after the second change it is still under way. */
const MIDWAY_MS = 1_500;
/** Long enough for what is written last. */
const AFTERWARDS_MS = 20_000;

/** Two changes one after the other, with a moment of departure. */
export function pairWorkload({ first, second, onClaims }: Pair, when: Departure["when"], moments: Moments): Workload {
  // One more than three: a cluster that has shrunk by one can still lose one.
  const spec = {
    size: 4,
    bootstrap: { mode: "Parallel" },
    ...(onClaims && { pod: { persistentVolumeClaimSpec: A_CLAIM } }),
  };
  return {
    name: `${pairName({ first, second, onClaims })}-${when}`,
    prepare: async (stage) => {
      await stage.createCluster(spec);
      await stage.settled();
    },
    act: async (stage) => {
      moments.mark();
      await first.make(stage, spec);
      await done(stage);
      moments.mark();
      await second.make(stage, spec);
      if (when === "midway") await stage.time.pass(MIDWAY_MS);
      else await done(stage);
      moments.depart();
    },
    missing: (stage) => stage.unsettled(),
  };
}

export function pairName({ first, second, onClaims }: Pair): string {
  return `${first.name}-${second.name}${onClaims ? "-on-claims" : ""}`;
}

async function done(stage: Stage): Promise<void> {
  await stage.time.pass(1_000);
  await stage.settled();
  await stage.time.pass(AFTERWARDS_MS);
}
