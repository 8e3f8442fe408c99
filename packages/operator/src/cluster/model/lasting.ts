import type { MemberSeen } from "./members.ts";
import type { Observation } from "./observation.ts";

/** The names of what this process measures the time of. */
export const LASTING = {
  away: (member: string) => `${member} is away`,
  /** Away, and not because it is busy with its database. */
  silent: (member: string) => `${member} is silent`,
  /** A learner that answers, and gets no further though the leader has more. */
  behind: (member: string) => `${member} is behind`,
  /** All is as the spec says, though members share a node. */
  calm: "all is well",
  noMajority: "no healthy majority",
  majorityLost: "the data of a majority is gone",
  leaving: (podUid: string) => `pod ${podUid} is leaving`,
  lacksRoom: (podUid: string) => `pod ${podUid} lacks room`,
};

/**
 * How long something has certainly lasted. A recorded time only makes it shorter; one that lies in the future was
 * written by another clock, or before ours was set, and says nothing.
 */
export function lastedMs(
  { nowMs, seenFor }: Pick<Observation, "nowMs" | "seenFor">,
  condition: string,
  recordedMs: number,
): number {
  const sinceRecordMs = nowMs - recordedMs;
  const seenMs = seenFor.ms(condition);
  return sinceRecordMs >= 0 ? Math.min(sinceRecordMs, seenMs) : seenMs;
}

/** How long a member has certainly been away; 0 while it is healthy. */
export function awayMs({ name, notHealthySinceMs }: MemberSeen, seen: Observation): number {
  return notHealthySinceMs === undefined ? 0 : lastedMs(seen, LASTING.away(name), notHealthySinceMs);
}
