/** What a register holds; undefined: nothing. */
export type Value = string | undefined;

/** A read returns the value; a write replaces it; a swap happened because `from` was there. */
export type Effect =
  | { readonly kind: "read"; readonly saw: Value }
  | { readonly kind: "write"; readonly to: Value }
  | { readonly kind: "swap"; readonly from: Value; readonly to: Value };

/** One operation on one register, between two moments of one clock. */
export interface RegisterOperation {
  readonly id: number;
  readonly calledAt: number;
  /** Infinity: its result is unknown. It may take effect at any time after the call, or never. */
  readonly returnedAt: number;
  readonly effect: Effect;
}

/** What must have been there when the operation took effect; undefined where anything will do. */
export function observedBy({ effect }: RegisterOperation): { readonly value: Value } | undefined {
  if (effect.kind === "read") return { value: effect.saw };
  return effect.kind === "swap" ? { value: effect.from } : undefined;
}

export function isUnknown({ returnedAt }: RegisterOperation): boolean {
  return returnedAt === Number.POSITIVE_INFINITY;
}
