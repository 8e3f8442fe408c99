import type { Outcome } from "../workloads/run-workload.ts";
import { differences } from "./end-state.ts";

const SHOWN = 400;

export type Judged = Pick<Outcome, "missing" | "violations" | "endState" | "comingsAndGoings">;

/** What is wrong with a run, beside the run without faults; which has to be right itself. */
export function failuresOf(calm: Judged, run: Judged): readonly string[] {
  const unfit = [...calm.violations, ...calm.missing];
  if (unfit.length > 0) return unfit.map((what) => `even where nothing goes wrong: ${what}`);
  if (run.missing.length > 0) return [...run.violations, ...run.missing.map((what) => `not done: ${what}`)];
  return [
    ...run.violations,
    ...differences(calm.comingsAndGoings, run.comingsAndGoings),
    ...differences(calm.endState, run.endState).map((line) => line.slice(0, SHOWN)),
  ];
}
