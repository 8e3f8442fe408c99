import type { EtcdCluster } from "@etcd-operator/operator/api/etcd-cluster.ts";
import type { EtcdFacts } from "../model/etcd/facts.ts";
import { type ObjectEvent, objectOf } from "../world/stored-objects.ts";

/** Which cluster an EtcdCluster stands for is written once; only a restore may put another in its place. */
export function changedIds(
  events: readonly ObjectEvent[],
  { clusters }: Pick<EtcdFacts, "clusters">,
): readonly string[] {
  const known = new Map<string, string>();
  const restored = new Set(
    clusters.filter(({ how }) => how === "restored").map(({ clusterId }) => clusterId.toString(16)),
  );
  return events.flatMap((event) => {
    if (event.plural !== "etcdclusters") return [];
    const { metadata, status } = objectOf(event) as EtcdCluster;
    const [uid, id] = [metadata.uid ?? "", status?.clusterID];
    const before = known.get(uid);
    if (id === undefined || id === before) return [];
    known.set(uid, id);
    return before === undefined || restored.has(id) ? [] : [`${event.name} was cluster ${before}, and became ${id}`];
  });
}
