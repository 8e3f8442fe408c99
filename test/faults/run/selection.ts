import type { Plan } from "../plan.ts";
import type { SuiteEntry } from "./suite-entry.ts";

/** What the command line asks for; empty where it asks for everything. */
export interface Selection {
  /** Names of suites, separated by commas. */
  readonly suite: string;
  /** A suite, or a suite and the name of a plan of it, or how such names begin. */
  readonly only: string;
}

/** What was asked for does not exist; the message says what does. */
export class UnknownNameError extends Error {
  override readonly name = "UnknownNameError";
}

export function selectedSuites(suites: readonly SuiteEntry[], { suite, only }: Selection): readonly SuiteEntry[] {
  const asked = suite.split(",").filter(Boolean);
  const [ofOnly = ""] = only.split("/");
  for (const [variable, names] of Object.entries({ SUITE: asked, ONLY: only ? [ofOnly] : [] })) {
    const unknown = names.find((name) => suites.every((each) => each.name !== name));
    if (unknown !== undefined) throw new UnknownNameError(`${variable}: no suite "${unknown}"; ${known(suites)}`);
  }
  const selected = suites.filter(
    ({ name }) => (asked.length === 0 || asked.includes(name)) && (!only || name === ofOnly),
  );
  if (selected.length === 0) throw new UnknownNameError(`ONLY=${only} is not of SUITE=${suite}`);
  return selected;
}

function known(suites: readonly SuiteEntry[]): string {
  return `there are ${suites.map(({ name }) => name).join(", ")}`;
}

/** How the names of plans begin that are asked for, without their suite. */
export function nameIn(only: string): string {
  return only.includes("/") ? only.slice(only.indexOf("/") + 1) : "";
}

/** The plan of that name where there is one, else all whose names begin so. */
export function selectedPlans(plans: readonly Plan[], only: string): readonly Plan[] {
  const name = nameIn(only);
  const exact = plans.filter((plan) => plan.name === name);
  const selected = exact.length > 0 ? exact : plans.filter((plan) => plan.name.startsWith(name));
  if (selected.length === 0) throw new UnknownNameError(`ONLY=${only}: no plan "${name}"; ${nearest(plans, name)}`);
  return selected;
}

/** Workloads of the suite where not even the beginning is right, else names that begin most alike. */
function nearest(plans: readonly Plan[], name: string): string {
  const alike = Math.max(...plans.map((plan) => sharedLength(plan.name, name)));
  const names = plans.filter((plan) => sharedLength(plan.name, name) === alike).map((plan) => plan.name);
  if (alike > 0 && names.length <= 20) return `there are ${names.join(", ")}`;
  const workloads = [...new Set(plans.map(({ workload }) => workload))];
  return `plans of it are called such as ${plans[0]?.name}; its workloads are ${workloads.join(", ")}`;
}

function sharedLength(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at;
}
