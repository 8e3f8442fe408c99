import { isUnknown, type RegisterOperation, type Value } from "./register.ts";

/** The definition itself, tried out: whether any order at all explains a history. For a handful of operations. */
export function someOrderExplains(operations: readonly RegisterOperation[], initial?: Value): boolean {
  if (operations.every(isUnknown)) return true;
  // No operation comes before one that had returned when it was called.
  const firstReturn = Math.min(...operations.map(({ returnedAt }) => returnedAt));
  return operations
    .filter(({ calledAt }) => calledAt <= firstReturn)
    .some((operation) => {
      const rest = operations.filter((each) => each !== operation);
      const { effect } = operation;
      const hasNotHappened = isUnknown(operation) && someOrderExplains(rest, initial);
      if (hasNotHappened) return true;
      if (effect.kind === "read") return effect.saw === initial && someOrderExplains(rest, initial);
      if (effect.kind === "swap" && effect.from !== initial) return false;
      return someOrderExplains(rest, effect.to);
    });
}
