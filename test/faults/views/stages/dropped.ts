import { brokenOff, type Downstream, type Stage } from "../stage.ts";
import { expiredLine, isOfObject, type Line, objectOf } from "../watch-line.ts";
import type { Episode } from "../wrong-view.ts";

export interface Dropping {
  /** The first event that is dropped, counted over all watches; 1 is the first. */
  readonly from: number;
  readonly forMs: number;
  /** All events of the watch, or those of the one object whose event was the first. */
  readonly what: "all" | "object";
  /** How the watch ends then. Of one object's events that were dropped between others only a new list shows. */
  readonly ending: "breaks" | "expires";
}

/**
 * Makes one watch drop events for a while, and then ends it. A server that ends it before, because its time is up, is
 * not noticed until then: a client that continued from the last event would never learn of what was dropped before
 * that.
 */
export function dropped({ from, forMs, what, ending }: Dropping): { readonly stage: Stage; readonly episode: Episode } {
  let events = 0;
  let dropping: { readonly of: Downstream; readonly object: string; readonly untilMs: number } | undefined;
  const begin = (down: Downstream, line: Line) => {
    dropping = { of: down, object: objectOf(line), untilMs: Date.now() + forMs };
    setTimeout(() => {
      if (ending === "expires") down.line(expiredLine());
      down.end(ending === "breaks" ? brokenOff() : undefined);
    }, forMs);
  };
  const isDropped = (down: Downstream, line: Line) =>
    dropping?.of === down && (what === "all" || (isOfObject(line) && objectOf(line) === dropping.object));
  const stage: Stage = (down) => ({
    line(line) {
      if (isOfObject(line)) events += 1;
      if (isOfObject(line) && events === from) begin(down, line);
      if (!isDropped(down, line)) down.line(line);
    },
    end(why) {
      const isHeld = why === undefined && dropping?.of === down && place() === "under way";
      if (!isHeld) down.end(why);
    },
  });
  const place = () => (!dropping ? "to come" : Date.now() < dropping.untilMs ? "under way" : "over");
  return { stage, episode: { place } };
}
