import type { StandingHorizon } from "../horizon.ts";
import type { Stage } from "../stage.ts";
import { isOfObject, revisionOf } from "../watch-line.ts";
import type { Episode } from "../wrong-view.ts";

export interface Standstill {
  /** The first event that is not shown, counted over all watches; 1 is the first. */
  readonly from: number;
  /** How many revisions before that event the horizon is set back to; a list at that moment returns the past. */
  readonly backBy: number;
  readonly forMs: number;
  /** How fast it catches up then; at once where it is absent. */
  readonly stepMs?: number | undefined;
  readonly onBegin?: (() => void) | undefined;
}

/** Makes a horizon stand still once so many events have come; what it does to them is for the stage after this one. */
export function standsStillFrom(
  horizon: StandingHorizon,
  { from, backBy, forMs, stepMs, onBegin }: Standstill,
): { readonly stage: Stage; readonly episode: Episode } {
  let events = 0;
  const stage: Stage = (down) => ({
    line(line) {
      if (isOfObject(line)) events += 1;
      if (isOfObject(line) && events === from) {
        horizon.stand(revisionOf(line) - 1n - BigInt(backBy), forMs, stepMs);
        onBegin?.();
      }
      down.line(line);
    },
    end: (why) => down.end(why),
  });
  const place = () => (events < from ? "to come" : horizon.isStanding ? "under way" : "over");
  return { stage, episode: { place } };
}
