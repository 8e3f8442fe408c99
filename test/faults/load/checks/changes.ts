import type { Operation, RunHistory, Seen } from "../history/operation.ts";
import type { Value } from "../linearizability/register.ts";

/** What became of a key at a revision. */
export interface Change {
  readonly key: string;
  /** undefined: it was deleted. */
  readonly value: Value;
}

/**
 * Every change of an epoch that any client learned of, by its revision: by an answer, by a read of what it left, or by
 * a watch.
 */
export function changesOf({ operations, watches }: RunHistory, epoch: number): ReadonlyMap<bigint, Change> {
  const changes = new Map<bigint, Change>();
  for (const operation of operations) {
    if (operation.epoch !== epoch || operation.outcome.kind !== "ok") continue;
    const { outcome, action, key } = operation;
    if (outcome.seen) changes.set(outcome.seen.modRevision, { key, value: outcome.seen.value });
    if (outcome.hasChanged) changes.set(outcome.revision, { key, value: valueAfter(action) });
  }
  for (const piece of watches) {
    if (piece.epoch !== epoch) continue;
    for (const { key, value, revision } of [...piece.listed, ...piece.events]) changes.set(revision, { key, value });
  }
  return changes;
}

/** What an operation leaves when it takes effect. */
export function valueAfter(action: Operation["action"]): Value {
  return action.kind === "write" || action.kind === "swap" ? action.to : undefined;
}

/** What may have been written: all that was asked for, and not refused or found to be needless. */
export function mayHaveWritten({ action, outcome }: Operation): boolean {
  if (action.kind === "read") return false;
  return outcome.kind === "unknown" || (outcome.kind === "ok" && outcome.hasChanged);
}

/** What an epoch began with: nothing, or what the epoch before had at the revision of the backup. */
export function initialOf(history: RunHistory, epoch: number): ReadonlyMap<string, Seen> {
  const { restoredTo } = history.epochs[epoch] ?? {};
  if (epoch === 0 || restoredTo === undefined) return new Map();
  const state = new Map(initialOf(history, epoch - 1));
  const changes = [...changesOf(history, epoch - 1)].filter(([revision]) => revision <= restoredTo);
  for (const [revision, { key, value }] of changes.sort(([one], [other]) => (one < other ? -1 : 1))) {
    if (value === undefined) state.delete(key);
    else if (revision > (state.get(key)?.modRevision ?? 0n)) state.set(key, { value, modRevision: revision });
  }
  return state;
}
