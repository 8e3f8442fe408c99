import type { Plan, PlanResult } from "../plan.ts";

export type Extent = "quick" | "full";

/** What a suite's process is asked for, once in its life. */
export type Order =
  | {
      readonly do: "plan";
      readonly suite: string;
      readonly seed: number;
      readonly extent: Extent;
      /** How the names of plans begin that are wanted; all where it is empty. */
      readonly only: string;
    }
  | { readonly do: "run"; readonly suite: string; readonly plans: readonly Plan[] };

/** What it may be asked while it works: to end what it has started. */
export interface Stop {
  readonly do: "stop";
}

/** What it says; an end is the last. */
export type Word =
  /** Its code is loaded, and it begins. */
  | { readonly kind: "begins" }
  | { readonly kind: "plans"; readonly plans: readonly Plan[] }
  | { readonly kind: "lack"; readonly what: string }
  | { readonly kind: "result"; readonly result: PlanResult }
  | { readonly kind: "end"; readonly error?: string };
