const MIB = 2 ** 20;
/** No part but the last may be smaller, says S3. */
const SMALLEST_BYTES = 5 * MIB;
/** More is no faster, and costs memory: four of them are there at a time. */
const USUAL_BYTES = 6 * MIB;
/** Says S3, too. */
export const MOST_PARTS = 10_000;
/** What parts on their way may take of memory; the one that is being filled comes on top. */
const BUDGET_BYTES = 48 * MIB;

export interface PartPlan {
  readonly partBytes: number;
  /** How many are sent at the same time. */
  readonly parallel: number;
}

/** How to cut an object into parts: large enough for its size, and no larger, for memory's sake. */
export function partPlan(expectedBytes = 0, leastBytes = USUAL_BYTES): PartPlan {
  // The guess may be too low: a tenth of the parts is kept for that.
  const neededBytes = Math.ceil(expectedBytes / (MOST_PARTS * 0.9) / MIB) * MIB;
  const partBytes = Math.max(SMALLEST_BYTES, leastBytes, neededBytes);
  const parallel = Math.max(1, Math.min(3, Math.floor(BUDGET_BYTES / partBytes)));
  return { partBytes, parallel };
}
