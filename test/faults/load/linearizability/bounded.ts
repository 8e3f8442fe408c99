import { isUnknown, observedBy, type RegisterOperation, type Value } from "./register.ts";

const NEVER = Number.NEGATIVE_INFINITY;

/**
 * The same history, for a search that need not try every operation of unknown outcome at every moment. One whose value
 * cannot have been observed might as well not have happened; one that alone could have written an observed value did
 * happen, before the observer returned.
 */
export function bounded(operations: readonly RegisterOperation[], initial: Value): readonly RegisterOperation[] {
  const settled = boundOnce(dropOnce(operations), initial);
  const hasChanged = settled.length !== operations.length || settled.some((each, at) => each !== operations[at]);
  // Each of them may have been the only observer of another.
  return hasChanged ? bounded(settled, initial) : settled;
}

/** An operation after a write that is not observed is a blind write too, and does as well without it. */
function dropOnce(operations: readonly RegisterOperation[]): readonly RegisterOperation[] {
  const lastObserved = new Map<Value, number>();
  for (const operation of operations) {
    const seen = observedBy(operation);
    if (!seen) continue;
    lastObserved.set(seen.value, Math.max(lastObserved.get(seen.value) ?? NEVER, operation.returnedAt));
  }
  return operations.filter((operation) => {
    const { effect, calledAt } = operation;
    if (!isUnknown(operation)) return true;
    return effect.kind !== "read" && (lastObserved.get(effect.to) ?? NEVER) >= calledAt;
  });
}

function boundOnce(operations: readonly RegisterOperation[], initial: Value): readonly RegisterOperation[] {
  const writers = new Map<Value, number>();
  const firstObserved = new Map<Value, number>();
  for (const operation of operations) {
    const { effect, returnedAt } = operation;
    if (effect.kind !== "read") writers.set(effect.to, (writers.get(effect.to) ?? 0) + 1);
    const seen = observedBy(operation);
    if (seen && !isUnknown(operation)) {
      firstObserved.set(seen.value, Math.min(firstObserved.get(seen.value) ?? Number.POSITIVE_INFINITY, returnedAt));
    }
  }
  return operations.map((operation) => {
    const { effect, calledAt } = operation;
    if (!isUnknown(operation) || effect.kind === "read") return operation;
    if (effect.to === initial || writers.get(effect.to) !== 1) return operation;
    const deadline = firstObserved.get(effect.to);
    return deadline === undefined || deadline < calledAt ? operation : { ...operation, returnedAt: deadline };
  });
}
