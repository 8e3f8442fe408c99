import { ACCIDENT_IDS, type AccidentId } from "./accident.ts";
import type { OutcomeId } from "./outcome.ts";

/** The first accident by row, the second by column, in the order of `ACCIDENT_IDS`. */
const GRID: Readonly<Record<AccidentId, string>> = {
  "cluster-deleted": "BBBBBDBBB",
  orphaned: "BABABCAAA",
  "crd-deleted": "BBBBBDBBB",
  "operator-rolled-back": "BABABCAAA",
  "restore-withdrawn": "BBBBBCBBB",
  "majority-lost": "DEDCCDCCC",
  "store-away": "BABABCAAA",
  "clock-stepped": "BABABCAAA",
  "claim-deleted": "BABABCAAA",
};

const BY_LETTER: Readonly<Record<string, OutcomeId>> = {
  A: "serves",
  B: "returns",
  C: "survivor",
  D: "backup",
  E: "orphan",
};

export interface Cell {
  readonly first: AccidentId;
  readonly second: AccidentId;
  readonly outcome: OutcomeId;
}

/** What becomes of a cluster that two accidents befall, one right after the other: every pair once. */
export const TABLE: readonly Cell[] = ACCIDENT_IDS.flatMap((first) =>
  ACCIDENT_IDS.map((second, column) => {
    const outcome = BY_LETTER[GRID[first][column] ?? ""];
    if (!outcome) throw new Error(`there is no outcome of ${first}, then ${second}`);
    return { first, second, outcome };
  }),
);

export function cellOf(first: AccidentId, second: AccidentId): Cell {
  const cell = TABLE.find((each) => each.first === first && each.second === second);
  if (!cell) throw new Error(`there is no cell for ${first}, then ${second}`);
  return cell;
}
