import type { Random } from "../../model/random.ts";
import { expiredPages, expiredWatches, refusedFor } from "./answers.ts";
import { type Horizon, onlyOf, revisionsBehind, StandingHorizon, timeBehind } from "./horizon.ts";
import { onlyFor, type Stage } from "./stage.ts";
import { Breaks } from "./stages/breakable.ts";
import { coalesced } from "./stages/coalesced.ts";
import { cutOff, type Ending } from "./stages/cut-off.ts";
import { type Dropping, dropped } from "./stages/dropped.ts";
import { repeated } from "./stages/repeated.ts";
import { shownUpTo } from "./stages/shown-up-to.ts";
import { standsStillFrom } from "./stages/stands-still-from.ts";
import { withoutBookmarks } from "./stages/without-bookmarks.ts";
import type { Timeline } from "./timeline.ts";
import type { Wrongs } from "./wrong-view.ts";

/** What a view is made from. */
export interface ViewGiven {
  readonly timeline: Timeline;
  readonly random: Random;
  /** Whether a kind of object is among those that it is wrong about. */
  readonly concerns: (plural: string) => boolean;
  /** How many events of those there are where nothing is wrong. */
  readonly events: number;
  /** Ends the operator, which then comes back with an empty memory. */
  readonly crash: () => void;
}

/** One way in which a view can be wrong. */
export interface ViewKind {
  readonly name: string;
  make(given: ViewGiven): Wrongs;
}

export function behindByRevisions(revisions: number): ViewKind {
  return {
    name: `${revisions}-revisions-behind`,
    make: ({ timeline, concerns }) => upTo(onlyOf(revisionsBehind(timeline, revisions), concerns, timeline)),
  };
}

export function behindByTime(lagMs: number): ViewKind {
  return {
    name: `${lagMs}-ms-behind`,
    make: ({ timeline, concerns }) => upTo(onlyOf(timeBehind(timeline, lagMs), concerns, timeline)),
  };
}

/** Events come, then none for a while, then all at once. */
export function held(forMs: number): ViewKind {
  return {
    name: `held-for-${forMs}-ms`,
    make: (given) => standstill(given, { backBy: 0, forMs }),
  };
}

export interface Travel {
  /** How the old view is come by: the operator starts anew, or has to list anew. */
  readonly by: "crash" | "relist";
  readonly backBy: number;
  readonly forMs: number;
  readonly stepMs?: number;
}

/** At some event, everything is as it was so many revisions ago, and stays so for a while. */
export function travel({ by, backBy, forMs, stepMs }: Travel): ViewKind {
  const pace = stepMs === undefined ? "" : "-step-by-step";
  return {
    name: `${by}-${backBy}-revisions-back-for-${forMs}-ms${pace}`,
    make: (given) => {
      const breaks = new Breaks();
      const onBegin = () => (by === "crash" ? given.crash() : breaks.expireAll());
      const wrongs = standstill(given, { backBy, forMs, stepMs, onBegin });
      return { ...wrongs, stages: [...(wrongs.stages ?? []), breaks.stage] };
    },
  };
}

export function droppedFor({ what, ending, forMs }: Omit<Dropping, "from">): ViewKind {
  return {
    name: `dropped-${what}-for-${forMs}-ms-${ending}`,
    make: (given) => {
      const { stage, episode } = dropped({ from: someEvent(given), forMs, what, ending });
      return { stages: [onlyFor(given.concerns, stage)], episodes: [episode] };
    },
  };
}

export function cut(everyEvents: number, ending: Ending): ViewKind {
  return staged(`${ending}-after-${everyEvents}`, () => [cutOff(everyEvents, ending)]);
}

export function coalescedWithin(windowMs: number): ViewKind {
  return staged(`coalesced-within-${windowMs}-ms`, () => [coalesced(windowMs)]);
}

export function repeatedAfter(newerOnes: number): ViewKind {
  return staged(`repeated-after-${newerOnes}`, () => [repeated(newerOnes)]);
}

export const NO_BOOKMARKS: ViewKind = staged("no-bookmarks", () => [withoutBookmarks]);

export function watchesExpire(every: number): ViewKind {
  return {
    name: `watch-${every}-expires`,
    // Without an end there is no other beginning.
    make: ({ concerns }) => ({
      stages: [onlyFor(concerns, cutOff(2, "ends"))],
      answers: expiredWatches(every, concerns),
    }),
  };
}

export function pagesExpire(every: number): ViewKind {
  return {
    name: `page-${every}-expires`,
    make: ({ concerns }) => ({
      stages: [onlyFor(concerns, cutOff(2, "expires"))],
      answers: expiredPages(every, concerns),
    }),
  };
}

export function refused(forMs: number, code: 429 | 503): ViewKind {
  return {
    name: `${code}-for-${forMs}-ms`,
    make: ({ concerns }) => ({
      stages: [onlyFor(concerns, cutOff(1, "breaks"))],
      answers: refusedFor(forMs, code),
    }),
  };
}

/** Several at once. One may keep events from another, so what is to happen at one of them happens early. */
export function together(...kinds: readonly ViewKind[]): ViewKind {
  return {
    name: kinds.map(({ name }) => name).join("+"),
    make: (given) => {
      const events = Math.ceil(given.events / 4);
      const all = kinds.map((kind) => kind.make({ ...given, events }));
      return {
        horizon: all.find(({ horizon }) => horizon)?.horizon,
        stages: all.flatMap(({ stages = [] }) => stages),
        episodes: all.flatMap(({ episodes = [] }) => episodes),
        answers: (ask) => all.reduce((inner, { answers }) => answers?.(inner) ?? inner, ask),
      };
    },
  };
}

function staged(name: string, stages: () => readonly Stage[]): ViewKind {
  return { name, make: ({ concerns }) => ({ stages: stages().map((stage) => onlyFor(concerns, stage)) }) };
}

function upTo(horizon: Horizon): Wrongs {
  return { horizon, stages: [shownUpTo(horizon)] };
}

interface Held {
  readonly backBy: number;
  readonly forMs: number;
  readonly stepMs?: number | undefined;
  readonly onBegin?: () => void;
}

function standstill(given: ViewGiven, how: Held): Wrongs {
  const { timeline, concerns } = given;
  const standing = new StandingHorizon(timeline);
  const horizon = onlyOf(standing, concerns, timeline);
  const { stage, episode } = standsStillFrom(standing, { from: someEvent(given), ...how });
  return { horizon, stages: [onlyFor(concerns, stage), shownUpTo(horizon)], episodes: [episode] };
}

function someEvent({ random, events }: ViewGiven): number {
  return 1 + random.int(Math.max(1, events));
}
