import { parseTime } from "@etcd-operator/kubernetes-client";
import type { EtcdCluster } from "../api/etcd-cluster.ts";

/** A majority may be unreachable for this long, as while a node restarts. */
const UNREACHABLE_MS = 15 * 60_000;
/** Data that is provably lost is not waited for, except for a volume or a label that is returned at once. */
const GONE_MS = 60_000;

/**
 * How long until a restored cluster counts as lost by its status, while its members join and there is no rollback to
 * the previous one; undefined when it is healthy.
 */
export function untilLostMs(cluster: EtcdCluster | undefined, nowMs: number): number | undefined {
  const goneMs = parseTime(cluster?.status?.majorityLostSince);
  const condition = quorumLost(cluster);
  const ends = [
    ...(goneMs === undefined ? [] : [goneMs + GONE_MS]),
    ...(condition ? [(parseTime(condition.lastTransitionTime) ?? nowMs) + UNREACHABLE_MS] : []),
  ];
  return ends.length === 0 ? undefined : Math.min(...ends) - nowMs;
}

export function isLossDue(cluster: EtcdCluster | undefined, nowMs: number): boolean {
  return (untilLostMs(cluster, nowMs) ?? 1) <= 0;
}

/** What the cluster reports of it. */
export function quorumLost(cluster: EtcdCluster | undefined) {
  return cluster?.status?.conditions?.find(({ type, status }) => type === "QuorumLost" && status === "True");
}
