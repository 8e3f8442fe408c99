import type { Pod } from "kubernetes-types/core/v1.d.ts";

/**
 * What becomes of a value: the API server refuses it; every member gets it; or it is accepted, goes no further than one
 * member, and is reported in a condition and an Event.
 */
export type Fate = "refused" | "works" | "reported";

export interface FieldValue {
  readonly name: string;
  /** Undefined: the property is taken out. */
  readonly value: unknown;
  readonly fate: Fate;
  /** What a condition says of it. */
  readonly says?: RegExp;
  /** Whether a pod has it. */
  readonly isIn?: ((pod: Pod) => unknown) | undefined;
  /** There is no way back: volumes do not shrink. */
  readonly isForGood?: boolean;
}

export function works(name: string, value: unknown, isIn?: FieldValue["isIn"]): FieldValue {
  return { name, value, fate: "works", isIn };
}

export function refused(name: string, value: unknown): FieldValue {
  return { name, value, fate: "refused" };
}

export function reported(name: string, value: unknown, says: RegExp): FieldValue {
  return { name, value, fate: "reported", says };
}
