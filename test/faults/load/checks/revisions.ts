import { type Operation, type RunHistory, told } from "../history/operation.ts";
import { initialOf, valueAfter } from "./changes.ts";

/**
 * What breaks the order of revisions: a change gets a greater one than any client knew when it was asked for, a
 * read none that is older than that, each revision belongs to one change, and what is read has the revision that its
 * write was given.
 */
export function brokenRevisions(history: RunHistory): readonly string[] {
  return history.epochs.flatMap(({ number, restoredTo }) => {
    const operations = history.operations.filter(({ epoch }) => epoch === number);
    const known = new KnownRevisions();
    for (const [key, { value, modRevision }] of initialOf(history, number)) known.learn(key, value, modRevision);
    return [
      ...outOfOrder(operations, restoredTo ?? 0n),
      ...operations.flatMap((operation) => known.compare(operation)),
    ];
  });
}

/** Real time: a request sent after the answer to another. */
function outOfOrder(operations: readonly Operation[], beginning: bigint): readonly string[] {
  const moments = operations
    .flatMap((operation) => [
      { at: operation.calledAt, operation, isCall: true },
      { at: operation.returnedAt, operation, isCall: false },
    ])
    .sort((one, other) => one.at - other.at);
  const floors = new Map<Operation, bigint>();
  const broken: string[] = [];
  let newest = beginning;
  for (const { operation, isCall } of moments) {
    const { outcome } = operation;
    if (isCall) floors.set(operation, newest);
    else if (outcome.kind === "ok") {
      const floor = floors.get(operation) ?? 0n;
      const isLate = outcome.hasChanged ? outcome.revision <= floor : outcome.revision < floor;
      if (isLate) broken.push(`revision ${floor} had been given out before: ${told(operation)}`);
      if (outcome.revision > newest) newest = outcome.revision;
    }
  }
  return broken;
}

class KnownRevisions {
  readonly #byValue = new Map<string, bigint>();
  readonly #byRevision = new Map<bigint, string>();

  compare(operation: Operation): readonly string[] {
    const { outcome, key, action } = operation;
    if (outcome.kind !== "ok") return [];
    const { seen, hasChanged, revision } = outcome;
    const problems = [
      seen && seen.modRevision > revision ? `it has a later revision than the store` : undefined,
      seen && this.learn(key, seen.value, seen.modRevision),
      hasChanged ? this.learn(key, valueAfter(action), revision) : undefined,
    ];
    return problems.flatMap((problem) => (problem ? [`${problem}: ${told(operation)}`] : []));
  }

  /** A deletion has no value to be known by. */
  learn(key: string, value: string | undefined, revision: bigint): string | undefined {
    const what = `${key} = ${value ?? "nothing"}`;
    const before = value === undefined ? undefined : this.#byValue.get(what);
    const other = this.#byRevision.get(revision);
    if (value !== undefined) this.#byValue.set(what, revision);
    this.#byRevision.set(revision, what);
    if (before !== undefined && before !== revision) return `${what} had revision ${before}, and has ${revision}`;
    return other === undefined || other === what ? undefined : `revision ${revision} also belongs to ${other}`;
  }
}
