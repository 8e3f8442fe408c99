import { listedMembers, nameOf } from "../model/members.ts";
import type { Observation } from "../model/observation.ts";

/** etcd changes its members only once all of them have been connected for so long. */
const STEADY_MS = 5_000;

/**
 * When to ask again for what etcd refused, most likely because its members have not been connected for long enough.
 * None of them can be sooner than its pod is old enough for it; from then on it is asked every `oftenMs`.
 */
export function untilConnectedMs(seen: Observation, oftenMs: number): number {
  const { pods, nowMs } = seen;
  const listed = new Set(listedMembers(seen).map(nameOf));
  const born = pods.filter(({ name }) => listed.has(name)).map(({ createdAtMs }) => createdAtMs);
  const youngestMs = Math.max(...born, nowMs - STEADY_MS);
  // The API server's clock may be ahead of ours.
  return Math.max(oftenMs, Math.min(STEADY_MS, youngestMs + STEADY_MS - nowMs));
}
