import type { Line } from "./watch-line.ts";

/** Where the lines of a watch go next. */
export interface Downstream {
  line(line: Line): void;
  /** No more will come; the reason where it is a failure. */
  end(why?: Error): void;
}

/** What a stage knows of the watch that it stands in. */
export interface Watched {
  /** Such as "pods". */
  readonly plural: string;
}

/**
 * Stands in the way of the lines of a watch: made once for a view, applied to every watch of it, so that what it counts
 * goes on when a watch is taken up again.
 */
export type Stage = (down: Downstream, watched: Watched) => Downstream;

/** A stage that some watches go around. */
export function onlyFor(concerns: (plural: string) => boolean, stage: Stage): Stage {
  return (down, watched) => (concerns(watched.plural) ? stage(down, watched) : down);
}

/** How a watch breaks off in the middle. */
export function brokenOff(): Error {
  return new Error("the connection was closed");
}
