const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

type Unit = readonly [milliseconds: number, name: string];
type Step = readonly [limit: number, first: Unit, second?: Unit];

// How much detail is worth telling: below each limit the first unit, and the second where it is not zero.
const STEPS: readonly Step[] = [
  [2 * MINUTE, [SECOND, "s"]],
  [10 * MINUTE, [MINUTE, "m"], [SECOND, "s"]],
  [3 * HOUR, [MINUTE, "m"]],
  [8 * HOUR, [HOUR, "h"], [MINUTE, "m"]],
  [2 * DAY, [HOUR, "h"]],
  [8 * DAY, [DAY, "d"], [HOUR, "h"]],
  [2 * YEAR, [DAY, "d"]],
  [8 * YEAR, [YEAR, "y"], [DAY, "d"]],
];
const LAST: Step = [Number.POSITIVE_INFINITY, [YEAR, "y"]];

/** A duration as tables show ages: `5s`, `3m20s`, `47h`, `2y40d`. */
export function humanDuration(milliseconds: number): string {
  // Clocks differ a little between machines.
  if (milliseconds <= -2 * SECOND) return "<invalid>";
  const elapsed = Math.max(0, milliseconds);
  const [, [unit, name], finer] = STEPS.find(([limit]) => elapsed < limit) ?? LAST;
  const first = Math.floor(elapsed / unit);
  const second = finer ? Math.floor((elapsed % unit) / finer[0]) : 0;
  return finer && second > 0 ? `${first}${name}${second}${finer[1]}` : `${first}${name}`;
}
