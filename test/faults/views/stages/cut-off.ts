import { brokenOff, type Stage } from "../stage.ts";
import { expiredLine, isOfObject } from "../watch-line.ts";

export type Ending = "ends" | "breaks" | "expires";

/**
 * Ends every watch after so many events: as a server does whose time is up, as a connection does that breaks, or with
 * 410 Gone.
 */
export function cutOff(everyEvents: number, ending: Ending, onCut: () => void = () => undefined): Stage {
  return (down) => {
    let events = 0;
    return {
      line(line) {
        down.line(line);
        if (!isOfObject(line)) return;
        events += 1;
        if (events < everyEvents) return;
        if (events === everyEvents) onCut();
        if (ending === "expires") down.line(expiredLine());
        down.end(ending === "breaks" ? brokenOff() : undefined);
      },
      end: (why) => down.end(why),
    };
  };
}
