import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Figure } from "../bench/figure.ts";

/** Older runs do not say how often they measured. */
export type PublishedFigure = Omit<Figure, "runs"> & Partial<Pick<Figure, "runs">>;

/**
 * A run of one suite: a file for each suite and date. Machine, versions, notes and older tables in it are for readers.
 */
export interface Published {
  readonly suite: string;
  readonly date: string;
  readonly figures: readonly PublishedFigure[];
}

/** The newest run of each suite; a file without figures only holds notes and tables of a day. */
export async function newestBySuite(folder: string): Promise<ReadonlyMap<string, Published>> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".json")).sort();
  const runs = await Promise.all(
    names.map(async (name) => JSON.parse(await readFile(join(folder, name), "utf8")) as Published),
  );
  return new Map(runs.filter(({ figures }) => figures.length > 0).map((run) => [run.suite, run]));
}
