import type { Horizon } from "../horizon.ts";
import type { Stage } from "../stage.ts";
import { isOfObject, type Line, revisionOf } from "../watch-line.ts";

/** Holds back what lies beyond a horizon until that has moved. */
export function shownUpTo(horizon: Horizon, onHold: () => void = () => undefined): Stage {
  return (down, { plural }) => {
    const held: Line[] = [];
    const release = () => {
      for (let next = held[0]; next && revisionOf(next) <= horizon.of(plural); next = held[0]) {
        held.shift();
        down.line(next);
      }
    };
    const leave = horizon.onChange(release);
    return {
      line(line) {
        held.push(line);
        release();
        if (held.includes(line) && isOfObject(line)) onHold();
      },
      end(why) {
        leave();
        down.end(why);
      },
    };
  };
}
