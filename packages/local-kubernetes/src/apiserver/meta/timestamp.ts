/** The last moment that it can write; a grace period may be longer than that. */
const LATEST = new Date(Date.UTC(9999, 11, 31, 23, 59, 59));

/** Without fractions of a second, as Kubernetes writes it. */
export function timestamp(time: Date): string {
  // A moment beyond what a Date can hold compares with nothing.
  const shown = time.getTime() <= LATEST.getTime() ? time : LATEST;
  return `${shown.toISOString().slice(0, 19)}Z`;
}
