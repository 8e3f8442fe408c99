import type { Outcome } from "../workloads/run-workload.ts";
import { differences } from "./end-state.ts";

const SHOWN = 400;

/** What is wrong with a run, beside the run without faults. */
export function failuresOf(calm: Outcome, run: Outcome): readonly string[] {
  if (run.missing.length > 0) return [...run.violations, ...run.missing.map((what) => `not done: ${what}`)];
  return [
    ...run.violations,
    ...differences(calm.comingsAndGoings, run.comingsAndGoings),
    ...differences(calm.endState, run.endState).map((line) => line.slice(0, SHOWN)),
  ];
}
