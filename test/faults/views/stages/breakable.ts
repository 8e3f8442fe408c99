import type { Stage } from "../stage.ts";
import { expiredLine } from "../watch-line.ts";

/** Lets all watches of a view end at one moment, with 410 Gone. */
export class Breaks {
  readonly #listeners = new Set<() => void>();

  readonly stage: Stage = (down) => {
    const expire = () => {
      down.line(expiredLine());
      down.end();
    };
    this.#listeners.add(expire);
    return {
      line: (line) => down.line(line),
      end: (why) => {
        this.#listeners.delete(expire);
        down.end(why);
      },
    };
  };

  expireAll(): void {
    for (const expire of [...this.#listeners]) expire();
  }
}
