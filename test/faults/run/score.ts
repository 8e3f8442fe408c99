import type { Plan, PlanResult } from "../plan.ts";
import type { SuiteEntry } from "./suite-entry.ts";

/** A suite with those of its plans that are to be run. */
export interface PlannedSuite {
  readonly entry: SuiteEntry;
  readonly plans: readonly Plan[];
}

/** What went wrong with a suite, but not with a plan that could be named. */
export interface Trouble {
  readonly suite: string;
  readonly why: string;
}

/** A result, and how long it took in real time where plans run one after another. */
export type TimedResult = PlanResult & { readonly tookMs?: number | undefined };

/** Gets what happens, as it happens. */
export interface Hearer {
  result(result: TimedResult): void;
  trouble(trouble: Trouble): void;
}

/** Everything that is known so far. */
export class Score {
  readonly results: TimedResult[] = [];
  readonly troubles: Trouble[] = [];
  /** Suites that this machine cannot run, which is no failure. */
  readonly leftOut: Trouble[] = [];
  readonly #done = new Map<string, Set<string>>();

  /** False where there is a result of the plan already. */
  add(result: TimedResult): boolean {
    const { suite, name } = result.plan;
    const done = this.#done.get(suite) ?? new Set();
    if (done.has(name)) return false;
    this.#done.set(suite, done.add(name));
    this.results.push(result);
    return true;
  }

  doneOf(suite: string): number {
    return this.#done.get(suite)?.size ?? 0;
  }

  get failed(): readonly TimedResult[] {
    return this.results.filter(({ failures }) => failures.length > 0);
  }

  /** Failed plans, and whatever else keeps a run from being a good one. */
  get failures(): number {
    return this.failed.length + this.troubles.length;
  }
}

/** What a run came to. */
export interface Finished {
  readonly planned: readonly PlannedSuite[];
  readonly score: Score;
  readonly tookMs: number;
  readonly isInterrupted: boolean;
}

/** How much of the work is done, from 0 to 1: each suite counts by the time that all of it takes. */
export function shareDone(planned: readonly PlannedSuite[], score: Score): number {
  const all = planned.reduce((sum, { entry }) => sum + entry.minutes, 0);
  const done = planned.reduce(
    (sum, { entry, plans }) => sum + (entry.minutes * score.doneOf(entry.name)) / plans.length,
    0,
  );
  return all === 0 ? 1 : done / all;
}
