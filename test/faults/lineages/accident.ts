import type { Scene } from "./scene.ts";

/** Those that the table of two accidents is about, in its order. */
export const ACCIDENT_IDS = [
  "cluster-deleted",
  "orphaned",
  "crd-deleted",
  "operator-rolled-back",
  "restore-withdrawn",
  "majority-lost",
  "store-away",
  "clock-stepped",
  "claim-deleted",
] as const;

export type AccidentId = (typeof ACCIDENT_IDS)[number];

/** Something that befalls a cluster, and what undoes its cause, where that is not the operator's affair. */
export interface Accident {
  readonly id: AccidentId;
  /** Notes in `scene.met` that it has happened; where that shows only later, once it does. */
  happen(scene: Scene): Promise<void>;
  /** The cause goes away: the store answers again, the clock is corrected. */
  end?(scene: Scene): Promise<void>;
}
