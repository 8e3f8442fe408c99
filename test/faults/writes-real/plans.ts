import { randomOf } from "../../model/random.ts";
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

/** Every write of some workloads in every way, and so many of each of the others. */
export function localPlans(suite: string, seed: number, sample: number): readonly Plan[] {
  const random = randomOf(seed);
  return [
    ...wholeWorkloads.flatMap((workload) => [calmPlan(workload), ...faultPlans(workload)]),
    ...restWorkloads.flatMap((workload) => [calmPlan(workload), ...drawn(faultPlans(workload), sample)]),
  ].map((part) => ({ suite, seed, ...part }));

  function drawn<T>(all: readonly T[], count: number): readonly T[] {
    const left = [...all];
    return Array.from({ length: count }, () => left.splice(random.int(left.length), 1)).flat();
  }
}

/** So many of each workload that has to be whole elsewhere. */
export function samplePlans(suite: string, seed: number, sample: number): readonly Plan[] {
  const random = randomOf(seed);
  return wholeWorkloads
    .flatMap((workload) => {
      const left = faultPlans(workload);
      const drawn = Array.from({ length: sample }, () => left.splice(random.int(left.length), 1)).flat();
      return [calmPlan(workload), ...drawn];
    })
    .map((part) => ({ suite, seed, ...part }));
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

function faultPlans({ name, writes }: RealWorkload): Part[] {
  return writes.flatMap((write) => FAULTS.map((fault) => ({ name: `${name}/${write}/${fault}`, workload: name })));
}
