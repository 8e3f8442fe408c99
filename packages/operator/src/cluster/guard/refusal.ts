/**
 * Why a guard refuses a directory, and the exit code by which the operator knows it from the status of the pod. A
 * refusal is proof that a member cannot come back, so no other program may end with one of these codes: Node uses 1 to
 * 14, shells and runtimes 125 and up.
 */
const EXIT_CODES = {
  /** The member has joined before and its data is gone: starting it would forget writes that it has acknowledged. */
  "data-gone": 40,
  "other-member": 41,
  "other-cluster": 42,
  /** There are files of a member, but no log. */
  "log-gone": 43,
  "log-unreadable": 44,
  /** Data where a new member should find none. */
  "not-empty": 45,
  /** A returning member whose identity was not recorded. */
  unidentified: 46,
  /** The member's own, but of an earlier time, or cut off: it lacks what the member had. */
  "log-behind": 47,
} as const;

export type Refusal = keyof typeof EXIT_CODES;

export function exitCodeOf(refusal: Refusal): number {
  return EXIT_CODES[refusal];
}

/** How the container of a guard ended, as the kubelet reports it; `message` is the end of its log. */
export interface GuardEnd {
  readonly exitCode: number;
  readonly message?: string | undefined;
}

/**
 * The refusal behind the end of a guard; undefined when it ended for another reason, which says nothing about the data.
 */
export function refusalOf({ exitCode, message = "" }: GuardEnd): Refusal | undefined {
  const hasCode = (code: number) => (Object.keys(EXIT_CODES) as Refusal[]).find((each) => EXIT_CODES[each] === code);
  return hasCode(exitCode) ?? (isOfEarlierGuard(exitCode, message) ? hasCode(exitCode + SHIFT) : undefined);
}

/** Pods that an earlier release made keep its guard, which ended with lower codes. */
const SHIFT = 30;
/**
 * Of these, Node ends with those by itself: an error at its start, a bad option, an await that never settles, a bad
 * snapshot.
 */
const OF_NODE: ReadonlySet<number> = new Set([10, 12, 13, 14]);

function isOfEarlierGuard(exitCode: number, message: string): boolean {
  return !OF_NODE.has(exitCode) || /^guard: refused\b/m.test(message);
}
