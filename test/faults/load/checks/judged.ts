import type { RunHistory } from "../history/operation.ts";
import { brokenRegisters } from "./registers.ts";
import { brokenRevisions } from "./revisions.ts";
import { brokenWatches } from "./watches.ts";

const MOST_TOLD = 5;

/** All that a history shows to be broken; of each kind the first few. */
export function judged(history: RunHistory): readonly string[] {
  return [brokenRegisters, brokenRevisions, brokenWatches].flatMap((broken) => {
    const all = broken(history);
    const more = all.length - MOST_TOLD;
    return [...all.slice(0, MOST_TOLD), ...(more > 0 ? [`and ${more} more of this kind`] : [])];
  });
}
