import { type Random, randomOf } from "../../model/random.ts";
import type { Plan } from "../plan.ts";
import type { Outage, Task, Trouble, Who } from "./nemesis/step.ts";

/** One cluster under load, and what it goes through. */
export interface LoadPlan extends Plan {
  readonly size: number;
  readonly claims: boolean;
  readonly bootstrap: "Sequential" | "Parallel";
  /** What it runs at first, and what it is upgraded to, one after another. */
  readonly versions: readonly [string, ...string[]];
  readonly tasks: readonly Task["do"][];
  readonly troubles: readonly Trouble["do"][];
  /** Their targets; one that is named twice is hit twice as often. */
  readonly whom: readonly Who[];
  readonly outages: readonly Outage["do"][];
  /** How long all that goes on. */
  readonly forMs: number;
}

export const SUITE = "load";
const FOR_MS = 75_000;
const PATCH = "3.5.16";
const ALL_TROUBLES: readonly Trouble["do"][] = ["kill", "freeze", "cut-off", "part", "compact"];
const ALL_OUTAGES: readonly Outage["do"][] = ["kill-operator", "freeze-operator", "kill-api-server"];

type Mix = Partial<Omit<LoadPlan, keyof Plan>>;

const MIXES: Readonly<Record<string, Mix>> = {
  kills: { troubles: ["kill", "compact"], outages: ["kill-operator"] },
  freezes: { troubles: ["freeze", "compact"], outages: ["freeze-operator"] },
  cuts: { claims: false, troubles: ["cut-off", "part"], outages: ["kill-api-server"] },
  scales: { tasks: ["scale"], troubles: ["kill", "compact"], outages: ["kill-operator"] },
  "scales-without-claims": { claims: false, tasks: ["scale"], troubles: ["freeze", "cut-off"] },
  rolls: { tasks: ["roll"], troubles: ["kill", "freeze"], outages: ["kill-operator", "kill-api-server"] },
  "rolls-without-claims": { claims: false, tasks: ["roll"], troubles: ["kill", "part"] },
  upgrades: { versions: [PATCH, "3.5.30", "3.5.35"], tasks: ["upgrade"], troubles: ["kill", "cut-off"] },
  minors: {
    versions: ["3.5.35", "3.6.16", "3.7.3"],
    tasks: ["upgrade"],
    troubles: ["freeze"],
    outages: ["kill-operator"],
  },
  wipes: { tasks: ["lose-disk", "delete-pod"], troubles: ["kill", "freeze", "part"], outages: ["kill-operator"] },
  replaces: { claims: false, tasks: ["lose-disk"], troubles: ["kill", "cut-off"], outages: ["kill-api-server"] },
  restores: { tasks: ["restore"], troubles: ["kill", "compact"], outages: ["kill-operator"] },
  everything: {
    versions: [PATCH, "3.5.30"],
    tasks: ["scale", "roll", "upgrade", "lose-disk", "delete-pod", "restore"],
    troubles: ALL_TROUBLES,
    outages: ALL_OUTAGES,
    forMs: 120_000,
  },
  "everything-of-five": {
    size: 5,
    claims: false,
    tasks: ["scale", "roll", "lose-disk"],
    troubles: ALL_TROUBLES,
    outages: ALL_OUTAGES,
    forMs: 100_000,
  },
};

/** Every mix, each with a seed of its own. */
export function loadPlans(seed: number): readonly LoadPlan[] {
  return Object.keys(MIXES).map((name) => planOf(name, seed));
}

/** A short one: a member and the operator are killed. */
export function quickPlan(seed: number): LoadPlan {
  const kills = { troubles: ["kill"], whom: ["leader"], outages: ["kill-operator"] } as const;
  return { ...blank("quick", seed), ...kills, bootstrap: "Parallel", forMs: 6_000 };
}

function planOf(name: string, seed: number): LoadPlan {
  return { ...blank(name, seed), ...MIXES[name] };
}

function blank(name: string, seed: number): LoadPlan {
  return {
    suite: SUITE,
    name,
    seed,
    workload: "load",
    size: 3,
    claims: true,
    bootstrap: "Sequential",
    versions: [PATCH],
    tasks: [],
    troubles: [],
    whom: ["leader", "leader", "follower", "follower", "all"],
    outages: [],
    forMs: FOR_MS,
  };
}

/** The same dice for the same plan, others for each purpose. */
export function diceOf({ name, seed }: Plan, purpose: string): Random {
  const text = `${name}/${purpose}`;
  return randomOf([...text].reduce((hash, letter) => (Math.imul(hash, 31) + letter.charCodeAt(0)) | 0, seed));
}
