import { untilOverdueMs } from "../fate.ts";
import type { Observation } from "../observation.ts";
import { recoveryOf } from "../recovery.ts";
import { isInvalid } from "../usable-spec.ts";
import { untilUnplacedMs } from "./degraded.ts";
import { untilQuorumLostMs } from "./quorum-lost.ts";
import { type Standing, standingOf } from "./standing.ts";
import { isExpected } from "./whereabouts.ts";

/** How long until time alone changes what the status says or what may be done; undefined when it never will. */
export function recheckMs(seen: Observation): number | undefined {
  const standing = standingOf(seen, { kind: "none", reason: "", message: "" }, seen.cluster.status ?? {});
  const delays = [
    untilQuorumLostMs(standing) ?? 0,
    ...untilRecoveryMs(standing),
    ...untilMembersAreOverdueMs(standing),
    ...seen.pods.map((pod) => untilUnplacedMs(pod, seen)),
  ].filter((delayMs) => delayMs > 0);
  return delays.length === 0 ? undefined : Math.min(...delays);
}

/** When a majority will have been lost for as long as the user wants to wait. */
function untilRecoveryMs({ now }: Standing): number[] {
  const recovery = recoveryOf(now);
  return recovery?.kind === "waiting" ? [recovery.leftMs] : [];
}

/** Whether a defragmentation has ended no event tells. */
const BUSY_MS = 10_000;

/** When members that are away will have been so for as long as the user lets them. */
function untilMembersAreOverdueMs({ now }: Standing): number[] {
  const { seen, members } = now;
  if (isInvalid(seen, "spec.memberReplacement")) return [];
  return members.filter(isExpected).flatMap((member) => {
    const leftMs = untilOverdueMs(member, now);
    const isBusy = member.pod?.answer.isDefragmenting === true;
    return [...(isBusy ? [BUSY_MS] : []), ...(leftMs === undefined ? [] : [leftMs])];
  });
}
