import type { Ask } from "../world/in-process-carrier.ts";
import { cacheRequestOf, withQuery } from "./cache-request.ts";
import type { Happening } from "./happening.ts";
import type { Horizon } from "./horizon.ts";
import type { Downstream, Stage } from "./stage.ts";
import { stagedWatch } from "./staged-watch.ts";

/** What is wrong with a view. */
export interface Wrongs {
  /** How old the lists are that it gives. */
  readonly horizon?: Horizon | undefined;
  /** What the lines of its watches go through, the first one first. */
  readonly stages?: readonly Stage[] | undefined;
  /** How entire requests are answered. */
  readonly answers?: ((ask: Ask) => Ask) | undefined;
  /** Whether it keeps something back that came until then. */
  readonly isHolding?: ((upTo: bigint) => boolean) | undefined;
  /** Of what happens once: where it is. */
  readonly episodes?: readonly Episode[] | undefined;
  /** Of what happens over and over. */
  readonly happenings?: readonly Happening[] | undefined;
}

/** Something that happens to a view once, at one of the events that it reports. */
export interface Episode {
  place(): "to come" | "under way" | "over";
}

/** From when on a view is wrong: what comes before belongs to the set-up. */
export class Arming {
  isArmed = false;
}

/**
 * Stands between a client and an API server, and makes its informers see what they should not; everything else is as it
 * is.
 */
export function wrongView({ horizon, stages = [], answers = (ask) => ask }: Wrongs, arming: Arming): (ask: Ask) => Ask {
  const armed = stages.map((stage) => onceArmed(stage, arming));
  return (ask) => {
    const viewed: Ask = async (asked) => {
      const request = cacheRequestOf(asked);
      if (!request) return ask(asked);
      if (request.verb === "watch") return stagedWatch(ask, asked, request, armed);
      return ask(horizon && arming.isArmed ? withQuery(asked, asOf(horizon, request)) : asked);
    };
    const answering = answers(viewed);
    return (asked) => (arming.isArmed ? answering(asked) : viewed(asked));
  };
}

/** The query of a list for what there was at the horizon. */
function asOf(horizon: Horizon, { plural, query }: { readonly plural: string; readonly query: URLSearchParams }) {
  // Further pages are of the version of the first one already.
  if (query.has("continue")) return query;
  query.set("resourceVersion", String(horizon.of(plural)));
  query.set("resourceVersionMatch", "Exact");
  return query;
}

function onceArmed(stage: Stage, arming: Arming): Stage {
  return (down, watched) => {
    const staged = stage(down, watched);
    const way = (): Downstream => (arming.isArmed ? staged : down);
    return { line: (line) => way().line(line), end: (why) => staged.end(why) };
  };
}
