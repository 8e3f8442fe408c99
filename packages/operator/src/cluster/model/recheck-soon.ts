import { LASTING } from "./lasting.ts";
import type { PodSeen } from "./observation.ts";
import type { Situation } from "./situation.ts";

const FIRST_MS = 20;
/** Kubernetes reports the creation time of a pod in whole seconds, so it may be that much younger than it seems. */
const UNKNOWN_MS = 1_000;
const LAST_MS = 2_000;

/**
 * When to check again members that start or stop: Kubernetes reports when a container runs, but not when etcd in it
 * answers. The longer ago that began, the longer the pause; one that takes more than a minute is left to the slow tick
 * and the kubelet's probes.
 */
export function recheckSoonMs({ seen }: Situation): { readonly recheckAfterMs?: number } {
  const agesMs = seen.pods
    .filter(
      ({ stage, isTerminating, answer }) => stage === "running" && isTerminating === (answer.health === "healthy"),
    )
    .map((pod) => ageMs(pod, seen))
    .filter((age) => age < 60_000);
  if (agesMs.length === 0) return {};
  return { recheckAfterMs: Math.min(LAST_MS, Math.max(FIRST_MS, Math.min(...agesMs) / 10)) };
}

/** The clocks of the API server and of a node may be ahead of ours: then it goes by what this process has seen. */
function ageMs(pod: PodSeen, seen: Situation["seen"]): number {
  const byRecordMs = seen.nowMs - UNKNOWN_MS - sinceMs(pod);
  if (byRecordMs >= -2 * UNKNOWN_MS) return byRecordMs;
  return seen.seenFor.ms(pod.isTerminating ? LASTING.leaving(pod.uid) : LASTING.away(pod.name));
}

function sinceMs({ isTerminating, deletedAtMs, createdAtMs, notReadySinceMs }: PodSeen): number {
  return isTerminating ? (deletedAtMs ?? createdAtMs) : Math.max(createdAtMs, notReadySinceMs ?? 0);
}
