import type { Pod } from "kubernetes-types/core/v1.d.ts";
import type { Stored } from "../../../kubernetes/kube-object.ts";
import { parseTime } from "../../../kubernetes/kube-time.ts";

/** The failures of a Job's pods since one of them succeeded. */
export interface PodBackoff {
  readonly failures: number;
  readonly lastFailureMs: number;
}

export const NO_FAILURE: PodBackoff = { failures: 0, lastFailureMs: 0 };

const FIRST_MS = 10_000;
const LONGEST_MS = 600_000;

/** With the pods that ended since the last time. */
export function backoffAfter(
  before: PodBackoff,
  succeeded: readonly Stored<Pod>[],
  failed: readonly Stored<Pod>[],
): PodBackoff {
  const lastSuccessMs = Math.max(-1, ...succeeded.map(finishedMs));
  const later = failed.map(finishedMs).filter((ms) => ms > lastSuccessMs);
  const earlier = succeeded.length > 0 ? NO_FAILURE : before;
  if (later.length === 0) return earlier;
  return { failures: earlier.failures + later.length, lastFailureMs: Math.max(...later) };
}

/** How long no pod is to be made. */
export function remainingMs({ failures, lastFailureMs }: PodBackoff, nowMs: number): number {
  if (failures === 0) return 0;
  const pauseMs = Math.min(FIRST_MS * 2 ** (failures - 1), LONGEST_MS);
  return Math.max(0, lastFailureMs + pauseMs - nowMs);
}

function finishedMs({ metadata, status }: Stored<Pod>): number {
  const ends = (status?.containerStatuses ?? []).map(({ state }) => parseTime(state?.terminated?.finishedAt));
  if (ends.length > 0 && ends.every((end) => end !== undefined)) return Math.max(...(ends as number[]));
  const unready = status?.conditions?.find(({ type, status: is }) => type === "Ready" && is === "False");
  const deleted = parseTime(metadata.deletionTimestamp);
  const deletedMs = deleted && deleted - (metadata.deletionGracePeriodSeconds ?? 0) * 1000;
  return parseTime(unready?.lastTransitionTime) ?? deletedMs ?? parseTime(metadata.creationTimestamp) ?? 0;
}
