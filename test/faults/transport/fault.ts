/** What can happen to a write. */
export const FAULTS = [
  "crash-before",
  "crash-after",
  "conflict",
  "too-many",
  "error",
  "lost-answer",
  "lost-request",
  "twice",
] as const;

export type Fault = (typeof FAULTS)[number];

/** Which write of a run goes wrong, and how. */
export interface FaultAt {
  /** The first write is 1. */
  readonly write: number;
  readonly fault: Fault;
}
