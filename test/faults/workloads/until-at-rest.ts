import type { VirtualTime } from "../world/virtual-time.ts";
import { LIMIT_MS } from "./limit.ts";

/** Three resyncs of the controller of clusters, with their jitter. */
export const QUIET_MS = 45_000;
/** An operator that still writes so long after all is done does so for ever. */
const RESTLESS_MS = Math.min(10 * 60_000, LIMIT_MS);

export interface Course {
  /** What was written so far. */
  sent(): readonly string[];
  missing(): readonly string[];
}

/** Waits until all is done, and until it has stayed so for a while in which nothing was written. */
export async function untilAtRest(time: VirtualTime, { sent, missing }: Course) {
  const last = { atMs: time.elapsedMs, written: sent().length };
  const isDone = () => {
    const [isSame, isWhole] = [sent().length === last.written, missing().length === 0];
    if (!isSame || !isWhole) Object.assign(last, { atMs: time.elapsedMs, written: sent().length });
    return isWhole;
  };
  const isAtRest = () => isDone() && time.elapsedMs - last.atMs >= QUIET_MS;
  const isOnce = await time.until(isDone, LIMIT_MS);
  const isQuiet = isOnce && (await time.until(isAtRest, RESTLESS_MS));
  const lacking = missing();
  if (isQuiet || lacking.length > 0) return { missing: lacking, lastMs: last.atMs };
  const restless = `the operator does not come to rest: ${sent().slice(-5).join(", ")}`;
  return { missing: [restless], lastMs: last.atMs };
}
