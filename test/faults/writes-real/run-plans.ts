import { once } from "node:events";
import type { Plan, PlanResult } from "../plan.ts";
import type { AddressedFault } from "./addressed-writes.ts";
import { Ground } from "./ground.ts";
import { calmFailuresOf, planFailuresOf } from "./judge.ts";
import { type RealPlan, realPlanOf } from "./plans.ts";
import type { RealWorld } from "./real-world.ts";
import { type RealOutcome, runRealWorkload } from "./run-workload.ts";
import type { RealWorkload } from "./workload.ts";

const LOG_LINES = 60;

/** What a worker plays on, and what was played on it last. */
interface Place {
  readonly ground: Ground;
  readonly last: RealWorkload;
}

type FaultPlan = RealPlan & { readonly faultAt: AddressedFault };

/** Runs plans beside each other, each worker those of one kind on one ground for as long as it is clean. */
export class RealPlans {
  readonly #world: RealWorld;
  readonly #waiting: RealPlan[];
  readonly #calm = new Map<string, Promise<RealOutcome>>();
  #grounds = 0;

  constructor(world: RealWorld, plans: readonly Plan[]) {
    this.#world = world;
    this.#waiting = plans.map(realPlanOf);
  }

  async run(atOnce: number, tell: (result: PlanResult) => void, signal: AbortSignal): Promise<void> {
    // What is cut short has failed for no reason of its own.
    const tellUnlessOver = (result: PlanResult) => signal.aborted || tell(result);
    const work = async () => {
      let place: Place | undefined;
      for (let next = this.#next(place?.last); next && !signal.aborted; next = this.#next(place?.last)) {
        place = await this.#runPlan(next, place, tellUnlessOver);
      }
      await place?.ground.close();
    };
    const done = Promise.all(Array.from({ length: atOnce }, work));
    await (signal.aborted ? undefined : Promise.race([done, once(signal, "abort")]));
  }

  /**
   * For the same ground if there is any: best another workload, for which there is less to prepare than for the same
   * again.
   */
  #next(last: RealWorkload | undefined): RealPlan | undefined {
    const isOnSame = ({ workload }: RealPlan) => workload.ground === last?.ground;
    const other = this.#waiting.findIndex((plan) => isOnSame(plan) && plan.workload !== last);
    const same = this.#waiting.findIndex(isOnSame);
    return this.#waiting.splice(Math.max(other >= 0 ? other : same, 0), 1)[0];
  }

  /** Where it was played, if that can be used again. */
  async #runPlan(next: RealPlan, place: Place | undefined, tell: (result: PlanResult) => void) {
    const { workload, faultAt } = next;
    if (!faultAt) {
      tell(await this.#runCalmPlan(next));
      return place;
    }
    if (place && place.last.ground !== workload.ground) await place.ground.close();
    const ground = place?.last.ground === workload.ground ? place.ground : await this.#open();
    const result = await this.#runFaultPlan({ ...next, faultAt }, ground);
    tell(result);
    if (result.failures.length === 0) return { ground, last: workload };
    await ground.close();
    return undefined;
  }

  async #runCalmPlan({ plan, workload }: RealPlan): Promise<PlanResult> {
    try {
      const calm = await this.#calmOf(workload);
      return { plan, failures: calmFailuresOf(workload, calm), convergenceMs: calm.convergenceMs };
    } catch (error) {
      return { plan, failures: [brokenOff(error)] };
    }
  }

  async #runFaultPlan({ plan, workload, faultAt }: FaultPlan, ground: Ground): Promise<PlanResult> {
    const from = ground.operators.log.length;
    const notes = () => ground.operators.log.slice(from).slice(-LOG_LINES);
    try {
      const calm = await this.#calmOf(workload);
      const first = await runRealWorkload(workload, ground, faultAt);
      const isMissed = !first.wasInjected && first.missing.length === 0;
      const runs = isMissed ? [first, await runRealWorkload(workload, ground, faultAt)] : [first];
      const { trouble } = this.#world.history;
      const unseen = trouble === undefined ? [] : [`not everything was seen: ${trouble}`];
      const failures = [...unseen, ...planFailuresOf(calm, runs, faultAt.write)];
      const { convergenceMs } = runs.at(-1) ?? first;
      return { plan, failures, convergenceMs, ...(failures.length > 0 && { notes: notes() }) };
    } catch (error) {
      return { plan, failures: [brokenOff(error)], notes: notes() };
    }
  }

  #open(): Promise<Ground> {
    this.#grounds += 1;
    return Ground.open(this.#world, `writes-${this.#grounds}`);
  }

  /** The run without faults that all others are measured by. */
  #calmOf(workload: RealWorkload): Promise<RealOutcome> {
    const known = this.#calm.get(workload.name) ?? this.#runCalm(workload);
    this.#calm.set(workload.name, known);
    return known;
  }

  async #runCalm(workload: RealWorkload): Promise<RealOutcome> {
    const ground = await this.#open();
    try {
      return await runRealWorkload(workload, ground);
    } finally {
      await ground.close();
    }
  }
}

function brokenOff(error: unknown): string {
  return `the run broke off: ${error instanceof Error ? error.stack : error}`;
}
