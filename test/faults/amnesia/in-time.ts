import type { PlanResult } from "../plan.ts";

/** What came of one attempt. */
export interface Attempt {
  readonly result: PlanResult;
  /** The moment that the plan is about had passed, so nothing was shown. */
  readonly isTooLate: boolean;
}

const ATTEMPTS = 3;

/** Plays a plan again while it misses its moment, as it may on a slow machine; one that never meets it has failed. */
export async function playedInTime(play: (attempt: number) => Promise<Attempt>): Promise<PlanResult> {
  for (let attempt = 1; ; attempt += 1) {
    const { result, isTooLate } = await play(attempt);
    // Also where nothing was done to it, all has to come right.
    if (!isTooLate || result.failures.length > 0) return result;
    if (attempt === ATTEMPTS) return { ...result, failures: [`the moment was missed ${ATTEMPTS} times`] };
  }
}
