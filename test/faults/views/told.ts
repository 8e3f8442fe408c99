/** A line of an informer's watch, as the calm run has it. */
export interface ToldLine {
  /** Of which watch; each that is started again is another. */
  readonly watch: number;
  /** Such as "pods". */
  readonly plural: string;
  /** The object that it reports; undefined for a bookmark. */
  readonly object: string | undefined;
  readonly atMs: number;
  /** How many revisions newer than this one there were already. */
  readonly newer: number;
  /** How many objects of the kind there were then, as far as was reported. */
  readonly objects: number;
}

/** What informers get where nothing is wrong: from what the user does until all is done. */
export interface Told {
  readonly lines: readonly ToldLine[];
  readonly doneMs: number;
}

export function toldAbout({ lines, doneMs }: Told, concerns: (plural: string) => boolean): Told {
  return { lines: lines.filter(({ plural }) => concerns(plural)), doneMs };
}

/** The first half of the lines. */
export function firstHalf({ lines, doneMs }: Told): Told {
  return { lines: lines.slice(0, Math.ceil(lines.length / 2)), doneMs };
}

/** What is reported of objects. */
export function eventsOf({ lines }: Told): readonly ToldLine[] {
  return lines.filter(({ object }) => object !== undefined);
}

/** The events of each watch. */
export function eventsByWatch(told: Told): readonly (readonly ToldLine[])[] {
  const events = eventsOf(told);
  const watches = [...new Set(events.map(({ watch }) => watch))];
  return watches.map((watch) => events.filter((event) => event.watch === watch));
}
