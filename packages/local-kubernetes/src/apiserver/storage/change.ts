import type { Entry } from "./entry.ts";

/** One write to one object; at least one side is there. */
export interface Change {
  readonly revision: bigint;
  /** Absent: it was deleted. */
  readonly now?: Entry;
  /** Absent: it was created. */
  readonly before?: Entry;
}

export interface ChangeListener {
  /** Where the keys begin that it is interested in, though it may be told of others. Absent: all of the resource. */
  readonly prefix?: string;
  /** Changes come in the order of their revisions. */
  changed(change: Change): void;
  /** No more will come; listeners have to list again. */
  lost(): void;
}
