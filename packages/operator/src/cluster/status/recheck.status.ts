import { untilMovedMs } from "../membership/rebalance.rule.ts";
import { type ClusterState, clusterStateOf } from "../model/cluster-state.ts";
import { isExpected } from "../model/member-state.ts";
import type { Observation } from "../model/observation.ts";
import { untilOverdueMs } from "../model/replacement.ts";
import { isInvalid } from "../model/usable-spec.ts";
import { recoveryOf } from "../restore/recovery.rule.ts";
import { untilFullMs } from "../storage/database-room.rule.ts";
import { untilUnplacedMs } from "./degraded.status.ts";
import { untilQuorumLostMs } from "./quorum-lost.status.ts";

/** How long until time alone changes what the status says or what may be done; undefined when it never will. */
export function recheckMs(seen: Observation): number | undefined {
  const state = clusterStateOf(seen, { kind: "none", reason: "UpToDate", message: "" }, seen.cluster.status ?? {});
  const delays = [
    untilQuorumLostMs(state) ?? 0,
    ...untilRecoveryMs(state),
    ...untilMembersAreOverdueMs(state),
    ...untilSpreadMs(state),
    ...seen.pods.map((pod) => untilUnplacedMs(pod, seen)),
    ...untilAlmostFullMs(state),
  ].filter((delayMs) => delayMs > 0);
  return delays.length === 0 ? undefined : Math.min(...delays);
}

/** When a majority will have been lost for as long as the user wants to wait. */
function untilRecoveryMs({ now }: ClusterState): number[] {
  const recovery = recoveryOf(now);
  return recovery?.kind === "waiting" ? [recovery.leftMs] : [];
}

/** A cluster whose database has so much room left may be left alone for as long as it is otherwise. */
const ROOMY_MS = 60_000;
/**
 * Others are checked this often, however slowly they have grown so far: refused writes have to be reported within 10
 * s.
 */
const WATCHED_MS = 8_000;

function untilAlmostFullMs({ now }: ClusterState): number[] {
  const leftMs = untilFullMs(now) ?? ROOMY_MS;
  // A full database is reported by the alarm, until it is disarmed.
  return leftMs < ROOMY_MS && now.seen.alarms.length === 0 ? [Math.min(leftMs, WATCHED_MS)] : [];
}

/** Checked often enough meanwhile to have observed that all was healthy. */
const CALM_LOOK_MS = 25_000;

function untilSpreadMs({ now }: ClusterState): number[] {
  const leftMs = untilMovedMs(now);
  return leftMs === undefined ? [] : [Math.min(leftMs, CALM_LOOK_MS)];
}

/** No event reports the end of a defragmentation. */
const BUSY_MS = 10_000;

/** When members that are away will have been so for as long as the user lets them. */
function untilMembersAreOverdueMs({ now }: ClusterState): number[] {
  const { seen, members } = now;
  if (isInvalid(seen, "spec.memberReplacement")) return [];
  return members.filter(isExpected).flatMap((member) => {
    const leftMs = untilOverdueMs(member, now);
    const isBusy = member.pod?.answer.isDefragmenting === true;
    return [...(isBusy ? [BUSY_MS] : []), ...(leftMs === undefined ? [] : [leftMs])];
  });
}
