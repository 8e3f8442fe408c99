import type { LoadPlan } from "../plan.ts";
import type { Schedule, Trouble } from "./step.ts";

/** A step that was to be done to a cluster, and whether it was. */
export interface Attempt {
  readonly of: keyof Schedule;
  readonly step: string;
  readonly hasWorked: boolean;
}

const TRACKS = ["tasks", "troubles", "outages"] as const;
/** It harms no member, so it is not enough. */
const HARMLESS = "compact" satisfies Trouble["do"];

/** Where a plan lists steps of a kind and not one of them did what it should, nothing was shown. */
export function nothingDone(plan: Pick<LoadPlan, keyof Schedule>, attempts: readonly Attempt[]): readonly string[] {
  return TRACKS.filter((track) => plan[track].length > 0)
    .filter((track) => !attempts.some(({ of, step, hasWorked }) => of === track && step !== HARMLESS && hasWorked))
    .map((track) => `none of its ${track} worked: ${plan[track].join(", ")}`);
}

/** How many of each worked, for people. */
export function toldAttempts(attempts: readonly Attempt[]): string {
  const steps = [...new Set(attempts.map(({ step }) => step))].sort();
  const told = steps.map((step) => {
    const all = attempts.filter((attempt) => attempt.step === step);
    return `${all.filter(({ hasWorked }) => hasWorked).length} of ${all.length} ${step}`;
  });
  return `what worked: ${told.join(", ") || "nothing was tried"}`;
}
