import type { Plan } from "../plan.ts";

/**
 * What is tried here is whether a plan finds a bug. It always does or never does, so there is one seed for it: another
 * would only be another plan.
 */
const SEED = 1;

/** The plan of another suite, by its full name, such as "writes/create/17-crash-after". */
export function innerPlan(fullName: string): Plan {
  const [suite = "", ...rest] = fullName.split("/");
  return { suite, name: rest.join("/"), seed: SEED, workload: rest[0] ?? "" };
}
