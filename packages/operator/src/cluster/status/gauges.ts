import type { ClusterMetrics } from "../../context/cluster-metrics.ts";
import type { Observation } from "../model/observation.ts";
import { situationOf } from "../model/situation.ts";
import { databaseLimitOf } from "../storage/database-room.rule.ts";

export interface ClusterGauges {
  /** Sets the metrics of a reconcile. */
  show(key: string, seen: Observation): void;
  /** The cluster is gone. */
  forget(key: string): void;
}

/** The metrics of each cluster. */
export function clusterGauges(metrics: ClusterMetrics): ClusterGauges {
  const gauge = (name: string, help: string) => metrics.gauge(`etcd_operator_cluster_${name}`, help);
  const size = gauge("size", "Desired number of members");
  const members = gauge("members", "Members in etcd's list");
  const healthyMembers = gauge("healthy_members", "Members that were healthy at the last check");
  const databaseSize = gauge("database_size_bytes", "Size of the largest member's database");
  const databaseLimit = gauge(
    "database_limit_bytes",
    "Size at which the first member's database is full: its quota, or its volume where that is smaller",
  );
  const alarms = gauge("alarms", "Raised etcd alarms");
  const leaderChanges = metrics.counter(
    "etcd_operator_cluster_leader_changes_total",
    "Changes of leader between reconciles, since this process started",
  );
  const leaders = new Map<string, string>();
  return {
    show(key, seen) {
      const now = situationOf(seen);
      const { listed, spec } = now;
      if (seen.problems.length === 0) size.set(key, spec.size);
      members.set(key, listed.length);
      healthyMembers.set(key, listed.filter(({ health }) => health === "healthy").length);
      databaseSize.set(key, largestDatabase(seen));
      const limits = listed.map((member) => databaseLimitOf(member, now).bytes).filter(Number.isFinite);
      if (limits.length > 0) databaseLimit.set(key, Math.min(...limits));
      alarms.set(key, seen.alarms.length);
      const [last, leader] = [leaders.get(key), listed.find(({ isLeader }) => isLeader)?.etcd.id];
      leaderChanges.add(key, last !== undefined && leader !== undefined && leader !== last ? 1 : 0);
      if (leader !== undefined) leaders.set(key, leader);
    },
    forget(key) {
      leaders.delete(key);
    },
  };
}

/** When no member responds, the last known values. */
function largestDatabase({ pods, cluster }: Observation): number {
  const noted = (cluster.status?.memberStatus ?? []).map(({ databaseSizeBytes = 0 }) => databaseSizeBytes);
  const answered = pods.flatMap(({ answer }) => answer.status?.databaseSizeBytes ?? []);
  return Math.max(0, ...(answered.length > 0 ? answered : noted));
}
