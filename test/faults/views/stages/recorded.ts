import type { Stage } from "../stage.ts";
import type { Told, ToldLine } from "../told.ts";
import { isOfObject, type Line, objectOf, revisionOf } from "../watch-line.ts";

/** Records what watches send, and leaves it as it is. */
export class Recorded {
  readonly #newest: () => bigint;
  readonly #objects = new Map<string, Set<string>>();
  readonly #lines: ToldLine[] = [];
  #watches = 0;
  #isOn = false;
  #doneMs: number | undefined;

  constructor(newest: () => bigint) {
    this.#newest = newest;
  }

  /** What was sent before belongs to the set-up. */
  begin(): void {
    this.#isOn = true;
  }

  /** All is done; what is sent from here on is of no use to a plan. */
  end(): void {
    this.#isOn = false;
    this.#doneMs ??= Date.now();
  }

  get told(): Told {
    return { lines: this.#lines, doneMs: this.#doneMs ?? Date.now() };
  }

  readonly stage: Stage = (down, { plural }) => {
    this.#watches += 1;
    const watch = this.#watches;
    return {
      line: (line) => {
        this.#note(line, { watch, plural });
        down.line(line);
      },
      end: (why) => down.end(why),
    };
  };

  #note(line: Line, { watch, plural }: Pick<ToldLine, "watch" | "plural">): void {
    const there = this.#objects.get(plural) ?? new Set();
    this.#objects.set(plural, there);
    const object = isOfObject(line) ? objectOf(line) : undefined;
    if (object !== undefined && line.type === "DELETED") there.delete(object);
    else if (object !== undefined) there.add(object);
    if (!this.#isOn) return;
    const newer = Number(this.#newest() - revisionOf(line));
    this.#lines.push({ watch, plural, object, atMs: Date.now(), newer, objects: there.size });
  }
}
