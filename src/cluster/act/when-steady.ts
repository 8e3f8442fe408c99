import type { Observation } from "../observation.ts";

/** etcd changes its members only once all of them have been connected for so long. */
const STEADY_MS = 5_000;

/**
 * When to ask again for what etcd refused because its members have not been connected for long enough. None of them can be sooner than its pod
 * is old enough for it; from then on it is asked every `oftenMs`.
 */
export function whenSteadyMs({ pods, nowMs }: Pick<Observation, "pods" | "nowMs">, oftenMs: number): number {
  const youngestMs = Math.max(...pods.map(({ createdAtMs }) => createdAtMs), nowMs - STEADY_MS);
  // The API server's clock may be ahead of ours.
  return Math.max(oftenMs, Math.min(STEADY_MS, youngestMs + STEADY_MS - nowMs));
}
