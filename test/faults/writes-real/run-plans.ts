import { once } from "node:events";
import type { Plan, PlanResult } from "../plan.ts";
import { Ground } from "./ground.ts";
import { calmFailuresOf, failuresOf } from "./judge.ts";
import { type RealPlan, realPlanOf } from "./plans.ts";
import type { RealWorld } from "./real-world.ts";
import { type RealOutcome, runRealWorkload } from "./run-workload.ts";
import type { RealWorkload } from "./workload.ts";

const LOG_LINES = 60;

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
    const work = async () => {
      let ground: Ground | undefined;
      let kind: string | undefined;
      for (let next = this.#next(kind); next && !signal.aborted; next = this.#next(kind)) {
        if (kind !== next.workload.ground) {
          await ground?.close();
          ground = undefined;
        }
        kind = next.workload.ground;
        ground ??= await this.#open();
        const result = await this.#runPlan(next, ground);
        // What is cut short has failed for no reason of its own.
        if (!signal.aborted) tell(result);
        if (result.failures.length === 0) continue;
        await ground.close();
        ground = undefined;
      }
      await ground?.close();
    };
    const done = Promise.all(Array.from({ length: atOnce }, work));
    await (signal.aborted ? undefined : Promise.race([done, once(signal, "abort")]));
  }

  /** One for the same ground if there is any. */
  #next(kind: string | undefined): RealPlan | undefined {
    const at = this.#waiting.findIndex(({ workload }) => workload.ground === kind);
    return this.#waiting.splice(Math.max(at, 0), 1)[0];
  }

  #open(): Promise<Ground> {
    this.#grounds += 1;
    return Ground.open(this.#world, `writes-${this.#grounds}`);
  }

  async #runPlan({ plan, workload, faultAt }: RealPlan, ground: Ground): Promise<PlanResult> {
    const from = ground.log.length;
    const notes = () => ground.log.slice(from).slice(-LOG_LINES);
    try {
      const calm = await this.#calmOf(workload);
      if (!faultAt) return { plan, failures: calmFailuresOf(workload, calm), convergenceMs: calm.convergenceMs };
      let run = await runRealWorkload(workload, ground, faultAt);
      if (!run.wasInjected && run.missing.length === 0) run = await runRealWorkload(workload, ground, faultAt);
      const unreached = run.wasInjected ? [] : [`there was no ${faultAt.write} in two runs: ${run.sent.join(", ")}`];
      const failures = [...unreached, ...failuresOf(calm, run)];
      return { plan, failures, convergenceMs: run.convergenceMs, ...(failures.length > 0 && { notes: notes() }) };
    } catch (error) {
      const why = `the run broke off: ${error instanceof Error ? error.stack : error}`;
      return { plan, failures: [why], notes: notes() };
    }
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
