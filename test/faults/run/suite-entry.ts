import type { Suite } from "../plan.ts";

/** A suite on the list: what has to be known of it before its code is loaded, which only its own processes do. */
export interface SuiteEntry {
  readonly name: string;
  readonly place: Suite["place"];
  /** What all of it takes on two cores; its share of the progress bar. */
  readonly minutes: number;
  load(): Promise<Suite>;
  /** What this machine lacks for it; it is left out then, which is reported and is no failure. */
  lack?(): Promise<string | undefined>;
}

/** A list of suites, and the module whose `suites` it is, from which each process takes its own. */
export interface SuiteList {
  readonly suites: readonly SuiteEntry[];
  readonly module: URL;
}
