import type { Stage } from "../stage.ts";
import { isOfObject } from "../watch-line.ts";

/** Counts what watches tell, by kind. */
export class CountedEvents {
  readonly #counts = new Map<string, number>();

  readonly stage: Stage = (down, { plural }) => ({
    line: (line) => {
      if (isOfObject(line)) this.#counts.set(plural, (this.#counts.get(plural) ?? 0) + 1);
      down.line(line);
    },
    end: (why) => down.end(why),
  });

  of(concerns: (plural: string) => boolean): number {
    return [...this.#counts].reduce((sum, [plural, count]) => sum + (concerns(plural) ? count : 0), 0);
  }
}
