import { eventsByWatch, eventsOf, firstHalf, type Told, type ToldLine, toldAbout } from "./told.ts";

/**
 * Whether a way to be wrong comes up in a workload, as far as the calm run shows. Up to the first time that a view is
 * wrong, a run is the calm run; so what needs nothing but its first occasion is sure to come up. What needs more of
 * them may meet fewer, since what is wrong changes what comes after: for that, there have to be more than enough.
 */
export type ComesUp = (told: Told) => boolean;

/** How long an informer may wait before it asks again, at first. */
const ASKS_AGAIN_MS = 1_000;

/** Something is reported. */
export const anyEvent: ComesUp = (told) => eventsOf(told).length > 0;

/** An event is sent while it is among the newest revisions. */
export function freshEvent(revisions: number): ComesUp {
  return (told) => eventsOf(told).some(({ newer }) => newer < revisions);
}

/** A watch reports that much. */
export function eventsOnOneWatch(count: number): ComesUp {
  return (told) => eventsByWatch(told).some((events) => events.length >= count);
}

export const anyBookmark: ComesUp = ({ lines }) => lines.some(({ object }) => object === undefined);

/** An event is sent, and a client that lost its watch by that asks again before all is done. */
export const eventInTime: ComesUp = (told) => eventsOf(told).some((event) => isInTime(event, told));

/**
 * The kubelet writes to them as it pleases; what only the operator writes to, it does not write to again before it got
 * the event.
 */
const WRITTEN_BY_OTHERS = "pods";

/** Objects that others write to change more than once within a while. */
export function changesWithin(windowMs: number): ComesUp {
  return (told) => {
    const pairs = eventsByWatch(toldAbout(told, (plural) => plural === WRITTEN_BY_OTHERS)).flatMap((events) =>
      secondsWithin(events, windowMs / 2),
    );
    return pairs.length >= 3;
  };
}

/** So many watches are started again where each ends after some events. */
export function watchesBegunAnew(count: number, eventsEach: number): ComesUp {
  return (told) => cutPoints(told, eventsEach).length >= 2 * count - 1;
}

/** So many further pages, of one object each, are asked for where watches expire after some events. */
export function furtherPages(count: number, eventsEach: number): ComesUp {
  return (told) => {
    const lists = cutPoints(told, eventsEach).filter((event) => isInTime(event, told));
    const pages = lists.reduce((sum, { objects }) => sum + Math.max(0, objects - 1), 0);
    return pages >= 2 * count;
  };
}

/**
 * Several at once, each of which may keep occasions from the others: there is one for each in the first half already.
 */
export function allAtOnce(rules: readonly ComesUp[]): ComesUp {
  return (told) => rules.every((comesUp) => comesUp(firstHalf(told)));
}

function isInTime({ atMs }: ToldLine, { doneMs }: Told): boolean {
  return atMs + ASKS_AGAIN_MS <= doneMs;
}

/** Events that come soon after another one of the same object. */
function secondsWithin(events: readonly ToldLine[], ms: number): readonly ToldLine[] {
  return events.filter((event, at) => {
    const before = events.slice(0, at).findLast(({ object }) => object === event.object);
    return before !== undefined && event.atMs - before.atMs <= ms;
  });
}

/** Every so many-th event of each watch. */
function cutPoints(told: Told, eventsEach: number): readonly ToldLine[] {
  return eventsByWatch(told).flatMap((events) => events.filter((_, at) => (at + 1) % eventsEach === 0));
}
