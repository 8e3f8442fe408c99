import { failuresOf } from "../checks/judge.ts";
import { type Outcome, runWorkload } from "../workloads/run-workload.ts";
import type { Workload } from "../workloads/workload.ts";
import { LostScope } from "./lost-scope.ts";
import { nodeClock } from "./node-clock.ts";
import type { ClockFault, ClockPlay, Place } from "./plays.ts";
import { WrongClock } from "./wrong-clock.ts";

interface Played {
  readonly outcome: Outcome;
  /** What else was wrong, also that the fault never was. */
  readonly wrong: readonly string[];
}

/** Plays it, and says what was not as it should be. */
export async function played({ workload, fault }: ClockPlay, seed: number) {
  const calm = await calmRun(workload, seed);
  if (calm.missing.length > 0) throw new Error(`not even where nothing is wrong is it done: ${calm.missing.join()}`);
  const { outcome, wrong } = await runWith(fault, workload, seed, calm);
  return { failures: [...wrong, ...failuresOf(calm, outcome)], convergenceMs: outcome.convergenceMs };
}

async function runWith(fault: ClockFault, workload: Workload, seed: number, calm: Outcome): Promise<Played> {
  switch (fault.kind) {
    case "clock": {
      const clock = new WrongClock(fault.aheadMs);
      const outcome = await runWorkload(workload, { seed, clock });
      return { outcome, wrong: never(clock.asked > 0, "the clock was wrong") };
    }
    case "step":
    case "successor": {
      const at = placeIn(calm, fault.at);
      const clock = new WrongClock();
      const onWrite = (write: number) => {
        if (write === at) clock.aheadMs = fault.aheadMs;
      };
      const faultAt = fault.kind === "successor" ? { write: at, fault: "crash-after" as const } : undefined;
      const outcome = await runWorkload(workload, { seed, clock, faultAt, onWrite });
      return { outcome, wrong: never(clock.asked > 0, `write ${at}, at which the clock was set`) };
    }
    case "node": {
      let told = 0;
      const view = nodeClock(fault.aheadMs, () => {
        told += 1;
      });
      const outcome = await runWorkload(workload, { seed, view });
      return { outcome, wrong: never(told > 0, "a time of the node") };
    }
    case "scope":
      return withoutScope(workload, seed);
  }
}

async function withoutScope(workload: Workload, seed: number): Promise<Played> {
  const lost = new LostScope();
  const { view } = lost;
  const outcome = await runWorkload(lost.around(workload), { seed, view, onWrite: (_, what) => lost.onWrite(what) });
  const written = lost.written.map((what) => `the operator of another scope wrote ${what}`);
  return { outcome, wrong: [...never(lost.heldBack > 0, "the watch kept something back"), ...written] };
}

function never(hasHappened: boolean, what: string): readonly string[] {
  return hasHappened ? [] : [`never happened: ${what}`];
}

function placeIn({ sent }: Outcome, place: Place): number {
  const at = { first: 1, middle: Math.ceil(sent.length / 2), last: sent.length };
  return at[place];
}

const known = new Map<string, Promise<Outcome>>();

/** The run without faults that all others are measured by. */
async function calmRun(workload: Workload, seed: number): Promise<Outcome> {
  const key = `${workload.name} ${seed}`;
  const run = known.get(key) ?? runWorkload(workload, { seed });
  known.set(key, run);
  return run;
}
