import type { Random } from "../../model/random.ts";
import { expiredPages, expiredWatches, refusedFor } from "./answers.ts";
import {
  allAtOnce,
  anyBookmark,
  anyEvent,
  type ComesUp,
  changesWithin,
  eventInTime,
  eventsOnOneWatch,
  freshEvent,
  furtherPages,
  watchesBegunAnew,
} from "./comes-up.ts";
import { Happening } from "./happening.ts";
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

/** Makes a view. */
export interface ViewMaker {
  readonly name: string;
  make(given: ViewGiven): Wrongs;
}

/** One way in which a view can be wrong. */
export interface ViewKind extends ViewMaker {
  /** Whether it is, in a workload of which informers get so much. */
  readonly comesUp: ComesUp;
}

export function behindByRevisions(revisions: number): ViewKind {
  return {
    name: `${revisions}-revisions-behind`,
    comesUp: freshEvent(revisions),
    make: ({ timeline, concerns }) => upTo(onlyOf(revisionsBehind(timeline, revisions), concerns, timeline)),
  };
}

export function behindByTime(lagMs: number): ViewKind {
  return {
    name: `${lagMs}-ms-behind`,
    comesUp: anyEvent,
    make: ({ timeline, concerns }) => upTo(onlyOf(timeBehind(timeline, lagMs), concerns, timeline)),
  };
}

/** Events come, then none for a while, then all at once. */
export function held(forMs: number): ViewKind {
  return {
    name: `held-for-${forMs}-ms`,
    comesUp: anyEvent,
    make: (given) => standstill(given, { backBy: 0, forMs }),
  };
}

export interface Travel {
  /** How the old view is come by: the operator restarts, or has to list again. */
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
    comesUp: anyEvent,
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
    comesUp: anyEvent,
    make: (given) => {
      const { stage, episode } = dropped({ from: someEvent(given), forMs, what, ending });
      return { stages: [onlyFor(given.concerns, stage)], episodes: [episode] };
    },
  };
}

export function cut(everyEvents: number, ending: Ending): ViewKind {
  return staged({
    name: `${ending}-after-${everyEvents}`,
    what: "a watch was cut off",
    comesUp: eventsOnOneWatch(everyEvents),
    stage: (note) => cutOff(everyEvents, ending, note),
  });
}

export function coalescedWithin(windowMs: number): ViewKind {
  return {
    name: `coalesced-within-${windowMs}-ms`,
    comesUp: changesWithin(windowMs),
    make: ({ concerns }) => {
      const happening = new Happening("events became one");
      const { stage, isHolding } = coalesced(windowMs, happening.note);
      return { stages: [onlyFor(concerns, stage)], isHolding, happenings: [happening] };
    },
  };
}

export function repeatedAfter(newerOnes: number): ViewKind {
  return staged({
    name: `repeated-after-${newerOnes}`,
    what: "an event was repeated",
    comesUp: eventsOnOneWatch(newerOnes + 1),
    stage: (note) => repeated(newerOnes, note),
  });
}

export const NO_BOOKMARKS: ViewKind = staged({
  name: "no-bookmarks",
  what: "a bookmark was left out",
  comesUp: anyBookmark,
  stage: withoutBookmarks,
});

export function watchesExpire(every: number): ViewKind {
  return {
    name: `watch-${every}-expires`,
    comesUp: watchesBegunAnew(every, 2),
    // Without an end there is no other beginning.
    make: ({ concerns }) => {
      const expiry = new Happening("a watch was answered with 410");
      return {
        stages: [onlyFor(concerns, cutOff(2, "ends"))],
        answers: expiredWatches(every, concerns, expiry.note),
        happenings: [expiry],
      };
    },
  };
}

export function pagesExpire(every: number): ViewKind {
  return {
    name: `page-${every}-expires`,
    comesUp: furtherPages(every, 2),
    make: ({ concerns }) => {
      const expiry = new Happening("a further page was answered with 410");
      return {
        stages: [onlyFor(concerns, cutOff(2, "expires"))],
        answers: expiredPages(every, concerns, expiry.note),
        happenings: [expiry],
      };
    },
  };
}

export function refused(forMs: number, code: 429 | 503): ViewKind {
  return {
    name: `${code}-for-${forMs}-ms`,
    comesUp: eventInTime,
    make: ({ concerns }) => {
      const refusal = new Happening(`a list or a watch was answered with ${code}`);
      return {
        stages: [onlyFor(concerns, cutOff(1, "breaks"))],
        answers: refusedFor(forMs, code, refusal.note),
        happenings: [refusal],
      };
    },
  };
}

/** Several at once. One may keep events from another, so what is to happen at one of them happens early. */
export function together(...kinds: readonly ViewKind[]): ViewKind {
  return {
    name: kinds.map(({ name }) => name).join("+"),
    comesUp: allAtOnce(kinds.map(({ comesUp }) => comesUp)),
    make: (given) => {
      const events = Math.ceil(given.events / 4);
      const all = kinds.map((kind) => kind.make({ ...given, events }));
      return {
        horizon: all.find(({ horizon }) => horizon)?.horizon,
        stages: all.flatMap(({ stages = [] }) => stages),
        isHolding: (upTo) => all.some(({ isHolding }) => isHolding?.(upTo)),
        episodes: all.flatMap(({ episodes = [] }) => episodes),
        happenings: all.flatMap(({ happenings = [] }) => happenings),
        answers: (ask) => all.reduce((inner, { answers }) => answers?.(inner) ?? inner, ask),
      };
    },
  };
}

interface Staged extends Pick<ViewKind, "name" | "comesUp"> {
  readonly what: string;
  readonly stage: (note: () => void) => Stage;
}

/** Made of one stage, which says when it does what it is for. */
function staged({ name, what, comesUp, stage }: Staged): ViewKind {
  return {
    name,
    comesUp,
    make: ({ concerns }) => {
      const happening = new Happening(what);
      return { stages: [onlyFor(concerns, stage(happening.note))], happenings: [happening] };
    },
  };
}

function upTo(horizon: Horizon): Wrongs {
  const holding = new Happening("an event was held back");
  return { horizon, stages: [shownUpTo(horizon, holding.note)], happenings: [holding] };
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
