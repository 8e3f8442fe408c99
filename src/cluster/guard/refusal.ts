/** Why a guard refuses a directory, and the exit code by which the operator knows it from the status of the pod. */
const EXIT_CODES = {
  /** The member has joined before and its data is gone: starting it would forget writes that it has acknowledged. */
  "data-gone": 10,
  "other-member": 11,
  "other-cluster": 12,
  /** There are files of a member, but no log. */
  "log-gone": 13,
  "log-unreadable": 14,
  /** Data where a new member should find none. */
  "not-empty": 15,
  /** A member comes back, but nobody wrote down which one it is. */
  unidentified: 16,
  /** The member's own, but of an earlier time, or cut off: it lacks what the member had. */
  "log-behind": 17,
} as const;

export type Refusal = keyof typeof EXIT_CODES;

export function exitCodeOf(refusal: Refusal): number {
  return EXIT_CODES[refusal];
}

/** The refusal behind the exit code of a guard; undefined when it ended for another reason, which says nothing about the data. */
export function refusalOf(exitCode: number): Refusal | undefined {
  return (Object.keys(EXIT_CODES) as Refusal[]).find((refusal) => EXIT_CODES[refusal] === exitCode);
}
