import { type Random, randomOf } from "../../model/random.ts";
import type { Plan } from "../plan.ts";
import { FAULTS, type Fault } from "../transport/fault.ts";
import type { AddressedFault } from "./addressed-writes.ts";
import { restWorkloads } from "./rest-workloads.ts";
import { wholeWorkloads } from "./whole-workloads.ts";
import type { RealWorkload } from "./workload.ts";

export interface RealPlan {
  readonly plan: Plan;
  readonly workload: RealWorkload;
  /** Nothing goes wrong in the run that the others are measured by. */
  readonly faultAt?: AddressedFault | undefined;
}

const CALM = "calm";
const WORKLOADS = [...wholeWorkloads, ...restWorkloads];

/**
 * Every write of some workloads in every way, and so many of each of the others and of what is alike. What others are
 * measured by comes first, and what takes long before what does not.
 */
export function localPlans(suite: string, seed: number, sample: number): readonly Plan[] {
  const random = randomOf(seed);
  const alike = wholeWorkloads.map(({ name, alike: writes = [] }) => ({ name, writes }));
  const drawn = [...restWorkloads, ...alike].map((workload) => drawnFrom(faultPlans(workload), sample, random));
  const whole = wholeWorkloads.flatMap(({ name, writes, alike: others = [] }) =>
    faultPlans({ name, writes: writes.filter((write) => !others.includes(write)) }),
  );
  return [...WORKLOADS.map(calmPlan), ...inTurns(drawn), ...whole].map((part) => ({ suite, seed, ...part }));
}

/** So many of each workload that is complete elsewhere. */
export function samplePlans(suite: string, seed: number, sample: number): readonly Plan[] {
  const random = randomOf(seed);
  const drawn = wholeWorkloads.map((workload) => drawnFrom(faultPlans(workload), sample, random));
  return [...wholeWorkloads.map(calmPlan), ...inTurns(drawn)].map((part) => ({ suite, seed, ...part }));
}

/** A plan's name says everything. */
export function realPlanOf(plan: Plan): RealPlan {
  const [name, write = "", fault] = plan.name.split("/");
  const workload = WORKLOADS.find((each) => each.name === name);
  if (!workload) throw new Error(`suite ${plan.suite} has no workload '${name}'`);
  return { plan, workload, faultAt: write === CALM ? undefined : { write, fault: fault as Fault } };
}

type Part = Pick<Plan, "name" | "workload">;

function calmPlan({ name }: RealWorkload): Part {
  return { name: `${name}/${CALM}`, workload: name };
}

function faultPlans({ name, writes }: Pick<RealWorkload, "name" | "writes">): readonly Part[] {
  return writes.flatMap((write) => FAULTS.map((fault) => ({ name: `${name}/${write}/${fault}`, workload: name })));
}

function drawnFrom<T>(all: readonly T[], count: number, random: Random): readonly T[] {
  const left = [...all];
  return Array.from({ length: Math.min(count, left.length) }, () => left.splice(random.int(left.length), 1)).flat();
}

/** The first of each, then the second of each, and so on. */
function inTurns<T>(lists: readonly (readonly T[])[]): readonly T[] {
  const longest = Math.max(0, ...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list.slice(at, at + 1))).flat();
}
