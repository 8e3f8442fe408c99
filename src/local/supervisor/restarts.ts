/** How long to wait before a part that ended is started again: at once, then longer and longer while it keeps ending. */
export function restartDelayMs(lifetimesMs: readonly number[]): number {
  const shortInARow = lifetimesMs.length - 1 - lifetimesMs.findLastIndex((lifetime) => lifetime >= LONG_MS);
  return shortInARow <= 1 ? 0 : Math.min(FIRST_MS * 2 ** (shortInARow - 2), LONGEST_MS);
}

const LONG_MS = 10_000;
const FIRST_MS = 200;
const LONGEST_MS = 5_000;
