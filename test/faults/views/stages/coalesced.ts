import type { Stage } from "../stage.ts";
import { isOfObject, type Line, objectOf, revisionOf } from "../watch-line.ts";

/** Of all that happens to an object within a while only what came of it: where it went and came back, it has changed. */
export function coalesced(windowMs: number): Stage {
  return (down) => {
    let gathered: Line[] = [];
    let timer: NodeJS.Timeout | undefined;
    const flush = () => {
      timer = undefined;
      const lines = outcomesOf(gathered);
      gathered = [];
      for (const line of lines) down.line(line);
    };
    return {
      line(line) {
        gathered.push(line);
        timer ??= setTimeout(flush, windowMs);
      },
      end(why) {
        // What was not told is asked for again by whoever goes on from what was.
        clearTimeout(timer);
        down.end(why);
      },
    };
  };
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
