import type { Observation, PodSeen } from "./observation.ts";

/** Alarms and membership changes by other clients show in no event; a minute is soon enough for those. */
const LEAST_MS = 60_000;
/**
 * How far logs have got is to be noted every ten minutes, and no rest is longer than its usual length by more than a
 * fifth.
 */
const MOST_MS = 500_000;
/**
 * Spread over all clusters, so that a thousand idle ones cost two reconciles a second, unless something makes them need
 * more.
 */
const PER_CLUSTER_MS = 500;

/** How long an idle cluster is left alone, beside so many. */
export function restAmong(clusters: number): number {
  return Math.min(MOST_MS, Math.max(LEAST_MS, clusters * PER_CLUSTER_MS));
}

/**
 * Whether a cluster may be left alone. All is healthy, and any later failure will show as an event: that a member
 * does not answer or lost the majority, the kubelet finds out by `/readyz` within seconds, where etcd has it.
 */
export function isAtRest({ pods, problems, membership, alarms, strangers, setAside, orphans }: Observation): boolean {
  const isUndisturbed = problems.length === 0 && alarms.length === 0 && strangers.foreignPods.length === 0 && !orphans;
  const isKnown = membership.kind === "confirmed" && setAside.pods.length === 0;
  return isUndisturbed && isKnown && pods.length > 0 && pods.every(isWatchedOver);
}

function isWatchedOver({ isReady, isTerminating, asksForLivez, answer }: PodSeen): boolean {
  return isReady && !isTerminating && asksForLivez && answer.health === "healthy";
}
