import type { EtcdFacts, ProcessStarted } from "../model/etcd/facts.ts";

/** Members of two clusters that ran under one name at once: both would take writes, and one of them loses its own. */
export function sideBySide({ starts }: Pick<EtcdFacts, "starts">): readonly string[] {
  const begun = starts.filter(({ clusterId, outcome }) => clusterId !== undefined && outcome !== "ended");
  const found = begun.flatMap((start) =>
    begun
      .filter((other) => other.clusterId !== start.clusterId && runs(other, start.atMs) && isOfSame(other, start))
      .map((other) => `${start.pod} began another cluster while ${other.pod} still ran`),
  );
  return [...new Set(found)];
}

function runs({ atMs, endedAtMs = Number.POSITIVE_INFINITY }: ProcessStarted, whenMs: number): boolean {
  return atMs < whenMs && endedAtMs > whenMs;
}

/** Pods of members are called after their cluster; others, such as those of drills, are on their own. */
function isOfSame(one: ProcessStarted, other: ProcessStarted): boolean {
  const name = clusterIn(one.pod);
  return name !== undefined && name === clusterIn(other.pod);
}

function clusterIn(pod: string): string | undefined {
  return /^(.+)-[a-z0-9]{10}$/.exec(pod)?.[1];
}
