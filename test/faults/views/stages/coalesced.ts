import type { Stage } from "../stage.ts";
import { isOfObject, type Line, objectOf, revisionOf } from "../watch-line.ts";

export interface Coalesced {
  readonly stage: Stage;
  /** Whether something that came until then is not sent yet. */
  isHolding(upTo: bigint): boolean;
}

/**
 * Of all that happens to an object within a while only what came of it: where it went and came back, it has changed.
 */
export function coalesced(windowMs: number, onCoalesce: () => void): Coalesced {
  const windows = new Set<Window>();
  const stage: Stage = (down) => {
    const window = new Window(windowMs, (lines) => {
      const outcomes = outcomesOf(lines);
      if (outcomes.filter(isOfObject).length < lines.filter(isOfObject).length) onCoalesce();
      for (const line of outcomes) down.line(line);
    });
    windows.add(window);
    return {
      line: (line) => window.gather(line),
      end(why) {
        // What was not sent is asked for again by a client that goes on from what was.
        window.close();
        windows.delete(window);
        down.end(why);
      },
    };
  };
  return { stage, isHolding: (upTo) => [...windows].some((window) => window.isHolding(upTo)) };
}

/** Gathers lines for a while, from the first one on. */
class Window {
  readonly #forMs: number;
  readonly #flush: (lines: readonly Line[]) => void;
  #lines: Line[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(forMs: number, flush: (lines: readonly Line[]) => void) {
    this.#forMs = forMs;
    this.#flush = flush;
  }

  gather(line: Line): void {
    this.#lines.push(line);
    this.#timer ??= setTimeout(() => {
      const lines = this.#lines;
      this.close();
      this.#flush(lines);
    }, this.#forMs);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#lines = [];
  }

  isHolding(upTo: bigint): boolean {
    return this.#lines.some((line) => isOfObject(line) && revisionOf(line) <= upTo);
  }
}

function outcomesOf(lines: readonly Line[]): readonly Line[] {
  const bookmarks = lines.filter((line) => !isOfObject(line)).slice(-1);
  const events = lines.filter(isOfObject);
  const objects = [...new Set(events.map(objectOf))];
  const outcomes = objects.flatMap((object) => outcomeOf(events.filter((line) => objectOf(line) === object)));
  return [...outcomes, ...bookmarks].sort((one, other) => Number(revisionOf(one) - revisionOf(other)));
}

function outcomeOf(lines: readonly Line[]): readonly Line[] {
  const [first, last] = [lines[0], lines.at(-1)];
  if (!first || !last) return [];
  const wasThere = first.type !== "ADDED";
  if (last.type === "DELETED") return wasThere ? [last] : [];
  return [{ type: wasThere ? "MODIFIED" : "ADDED", object: last.object }];
}
