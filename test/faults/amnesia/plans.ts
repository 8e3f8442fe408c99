import { randomOf } from "../../model/random.ts";
import type { Plan } from "../plan.ts";
import type { AmnesiaPlan } from "./plan.ts";
import { damagedPlans } from "./plans/damaged.ts";
import { hazardPlans } from "./plans/hazards.ts";
import { majorityPlans } from "./plans/majority.ts";
import { objectPlans } from "./plans/objects.ts";
import { halfCopiedPlans, returnedPlans } from "./plans/returned.ts";
import { versionPlans } from "./plans/versions.ts";
import { wipedPlans } from "./plans/wiped.ts";

/** A plan as the tables have it: of three members unless it says otherwise. */
export type PlanGiven = Omit<AmnesiaPlan, keyof Plan | "size"> & { readonly name: string; readonly size?: number };

export const SUITE = "amnesia";

/** All plans of a seed, which decides places and parts. Those that take long come first. */
export function amnesiaPlans(seed: number): readonly AmnesiaPlan[] {
  const random = randomOf(seed);
  const tables: Readonly<Record<string, readonly PlanGiven[]>> = {
    "majority lost": majorityPlans,
    "other volumes": [...returnedPlans, ...halfCopiedPlans(random)],
    "objects and notes": objectPlans,
    "late leader": hazardPlans,
    "wiped disks": wipedPlans,
    "other versions": versionPlans,
    "damaged files": damagedPlans(random),
  };
  return Object.entries(tables).flatMap(([workload, plans]) =>
    plans.map((plan) => ({ suite: SUITE, seed, workload, size: 3, ...plan })),
  );
}

const QUICK = ["two-of-three-wiped-given-back", "hazard-1-returning", "wiped-leader-restarts-in-pod"];

/** The few of a short run. */
export function quickPlans(seed: number): readonly AmnesiaPlan[] {
  return amnesiaPlans(seed).filter(({ name }) => QUICK.includes(name));
}
