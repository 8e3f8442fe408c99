import type { Outcome } from "../workloads/run-workload.ts";
import { differencesBut } from "./late-founders.ts";

const SHOWN = 400;

export type Judged = Pick<Outcome, "missing" | "violations" | "endState" | "comingsAndGoings" | "lateFounders">;

/** What is wrong with a run, beside the run without faults; which has to be right itself. */
export function failuresOf(calm: Judged, run: Judged): readonly string[] {
  const unfit = [...calm.violations, ...calm.missing];
  if (unfit.length > 0) return unfit.map((what) => `even where nothing goes wrong: ${what}`);
  if (run.missing.length > 0) return [...run.violations, ...run.missing.map((what) => `not done: ${what}`)];
  const late = run.lateFounders - calm.lateFounders;
  return [...run.violations, ...differencesBut(late, calm, run).map((line) => line.slice(0, SHOWN))];
}
