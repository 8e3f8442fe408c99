import type { Stage } from "../stage.ts";
import { isOfObject, type Line } from "../watch-line.ts";

/** Sends every event again, when so many newer ones have been sent: none, and it comes twice in a row. */
export function repeated(newerOnes: number, onRepeat: () => void): Stage {
  return (down) => {
    const told: Line[] = [];
    return {
      line(line) {
        down.line(line);
        if (!isOfObject(line)) return;
        told.push(line);
        if (told.length <= newerOnes) return;
        const old = told.shift();
        if (!old) return;
        onRepeat();
        down.line(old);
      },
      end: (why) => down.end(why),
    };
  };
}
