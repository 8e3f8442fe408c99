import {
  type Operation,
  type RunHistory,
  told,
  toldEvent,
  type WatchedEvent,
  type WatchPiece,
} from "../history/operation.ts";
import { mayHaveWritten, valueAfter } from "./changes.ts";
import { brokenLists } from "./lists.ts";

/** What watches missed, reported twice, out of order, or invented. */
export function brokenWatches(history: RunHistory): readonly string[] {
  return history.epochs.flatMap(({ number }) => {
    const operations = history.operations.filter(({ epoch }) => epoch === number);
    const watches = history.watches.filter(({ epoch }) => epoch === number);
    const watchers = [...new Set(watches.map(({ watcher }) => watcher))];
    const broken = watchers.flatMap((watcher) => {
      const pieces = watches.filter((piece) => piece.watcher === watcher);
      return brokenWatch(pieces, operations).map((what) => `watch ${watcher} of epoch ${number}: ${what}`);
    });
    return [...broken, ...disagreements(watches), ...brokenLists(history, number)];
  });
}

function brokenWatch(pieces: readonly WatchPiece[], operations: readonly Operation[]): readonly string[] {
  const events = pieces.flatMap((piece) => piece.events);
  return [
    ...pieces.flatMap(outOfOrder),
    ...pieces.flatMap((piece, at) => torn(piece, pieces[at - 1])),
    ...brokenVersions(pieces),
    ...toldTwice(events),
    ...madeUp(events, operations),
    ...missed(pieces, operations),
  ];
}

function disagreements(pieces: readonly WatchPiece[]): readonly string[] {
  const first = new Map<bigint, string>();
  return pieces.flatMap(({ watcher, events }) =>
    events.flatMap((event) => {
      const [mine, other] = [toldEvent(event), first.get(event.revision)];
      if (other === undefined) first.set(event.revision, mine);
      return other === undefined || other === mine ? [] : [`watch ${watcher} was told ${mine}, another one ${other}`];
    }),
  );
}

function outOfOrder({ events, from, through }: WatchPiece): readonly string[] {
  return events.flatMap((event, at) => {
    const before = events[at - 1]?.revision ?? from - 1n;
    if (event.revision > before && event.revision <= through) return [];
    return [`${toldEvent(event)} came after revision ${before}, before ${through}`];
  });
}

/** One that goes on must begin where the one before it ended. */
function torn(piece: WatchPiece, before: WatchPiece | undefined): readonly string[] {
  if (!before || !piece.isResumed || piece.from === before.through + 1n) return [];
  return [`it went on from revision ${piece.from}, though it had been told up to ${before.through}`];
}

/**
 * etcd counts the versions of a key, so a gap shows even where a write has no answer. What was not listed begins
 * with the first.
 */
function brokenVersions(pieces: readonly WatchPiece[]): readonly string[] {
  const broken: string[] = [];
  let versions = new Map<string, bigint>();
  for (const { isResumed, listed, events } of pieces) {
    if (!isResumed) versions = new Map(listed.map(({ key, version }) => [key, version]));
    for (const event of events) {
      const before = versions.get(event.key) ?? 0n;
      const isNext = event.version === 0n ? before > 0n : event.version === before + 1n;
      if (!isNext) broken.push(`${toldEvent(event)} came after version ${before}`);
      versions.set(event.key, event.version);
    }
  }
  return broken;
}

function toldTwice(events: readonly WatchedEvent[]): readonly string[] {
  const [revisions, values] = [new Set<bigint>(), new Set<string>()];
  return events.flatMap((event) => {
    const value = `${event.key} = ${event.value}`;
    const isAgain = revisions.has(event.revision) || (event.value !== undefined && values.has(value));
    revisions.add(event.revision);
    values.add(value);
    return isAgain ? [`${toldEvent(event)} was told before`] : [];
  });
}

function madeUp(events: readonly WatchedEvent[], operations: readonly Operation[]): readonly string[] {
  const asked = new Set(operations.filter(mayHaveWritten).map(({ key, action }) => `${key} = ${valueAfter(action)}`));
  return events
    .filter(({ key, value }) => !asked.has(`${key} = ${value}`))
    .map((event) => `${toldEvent(event)} was not requested`);
}

/** Acknowledged changes within the events that it got. */
function missed(pieces: readonly WatchPiece[], operations: readonly Operation[]): readonly string[] {
  const events = new Map(pieces.flatMap((piece) => piece.events.map((event) => [event.revision, event] as const)));
  return operations.flatMap((operation) => {
    const { outcome, key, action } = operation;
    if (outcome.kind !== "ok" || !outcome.hasChanged) return [];
    const { revision } = outcome;
    if (!pieces.some(({ from, through }) => from <= revision && revision <= through)) return [];
    const event = events.get(revision);
    if (event?.key === key && event.value === valueAfter(action)) return [];
    return [`it was told ${event ? toldEvent(event) : "nothing"} instead of ${told(operation)}`];
  });
}
