import { type RunHistory, toldEvent, type WatchedEvent, type WatchPiece } from "../history/operation.ts";
import { type Change, changesOf, initialOf, mayHaveWritten, valueAfter } from "./changes.ts";

/** What all keys were at a revision, as far as it is known without the lists themselves. */
interface Known {
  readonly changes: ReadonlyMap<bigint, Change>;
  /** What may have been written. */
  readonly asked: ReadonlySet<string>;
  /** Keys that a client may have deleted without an answer. */
  readonly mayBeGone: ReadonlySet<string>;
  readonly pieces: readonly WatchPiece[];
}

/** Watches that start again read all keys first: what such a list has that was not so at its revision, or lacks. */
export function brokenLists(history: RunHistory, epoch: number): readonly string[] {
  const known = knownOf(history, epoch);
  return known.pieces
    .filter(({ isResumed }) => !isResumed)
    .flatMap(({ watcher, from, listed }) => {
      const broken = [
        ...listed.flatMap((item) => wrongItem(item, from - 1n, known)),
        ...overlooked(listed, from - 1n, known),
      ];
      return broken.map((what) => `the list of watch ${watcher} at revision ${from - 1n} of epoch ${epoch}: ${what}`);
    });
}

function knownOf(history: RunHistory, epoch: number): Known {
  const { epochs, operations } = history;
  const pieces = history.watches.filter((piece) => piece.epoch === epoch);
  const watches = pieces.map((piece) => ({ ...piece, listed: [] }));
  const changes = new Map(changesOf({ epochs, operations, watches }, epoch));
  const initial = [...initialOf(history, epoch)];
  for (const [key, { value, modRevision }] of initial) changes.set(modRevision, { key, value });
  const writes = operations.filter((operation) => operation.epoch === epoch && mayHaveWritten(operation));
  const lost = writes.filter(({ action, outcome }) => action.kind === "delete" && outcome.kind === "unknown");
  return {
    changes,
    pieces,
    asked: new Set([
      ...initial.map(([key, { value }]) => `${key} = ${value}`),
      ...writes.map(({ key, action }) => `${key} = ${valueAfter(action)}`),
    ]),
    mayBeGone: new Set(lost.map(({ key }) => key)),
  };
}

function wrongItem(item: WatchedEvent, at: bigint, { changes, asked, pieces }: Known): readonly string[] {
  const { key, value, revision } = item;
  const what = toldEvent(item);
  if (revision > at) return [`${what} is later than the list`];
  const change = changes.get(revision);
  if (change && (change.key !== key || change.value !== value)) {
    return [`${what} has the revision of ${change.key} = ${change.value ?? "nothing"}`];
  }
  if (!asked.has(`${key} = ${value}`)) return [`${what} was not requested`];
  // It is of an operation without an answer, which watches reported all the same.
  return !change && areTold(pieces, revision, revision) ? [`no watch was told of ${what}`] : [];
}

/** Changes that had happened, and after which a key was not as it was listed. */
function overlooked(listed: readonly WatchedEvent[], at: bigint, { changes, mayBeGone, pieces }: Known) {
  const newest = new Map<string, readonly [bigint, Change]>();
  for (const entry of [...changes].sort(([one], [other]) => (one < other ? -1 : 1))) {
    if (entry[0] <= at) newest.set(entry[1].key, entry);
  }
  return [...newest].flatMap(([key, [revision, { value }]]) => {
    const item = listed.find((each) => each.key === key);
    if (item ? item.revision >= revision : value === undefined) return [];
    if (!item && mayBeGone.has(key) && !areTold(pieces, revision + 1n, at)) return [];
    const had = item ? toldEvent(item) : `no ${key}`;
    return [`it has ${had}, which became ${value ?? "nothing"} at revision ${revision}`];
  });
}

/** Whether all that happened from one revision to another was reported by watches. */
function areTold(pieces: readonly WatchPiece[], from: bigint, to: bigint): boolean {
  let next = from;
  for (const piece of [...pieces].sort((one, other) => (one.from < other.from ? -1 : 1))) {
    if (piece.from <= next && piece.through >= next) next = piece.through + 1n;
  }
  return next > to;
}
