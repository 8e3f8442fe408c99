import type { EtcdClusterStatus } from "../../api/etcd-cluster.ts";
import type { Observation } from "./observation.ts";

/** What was observed, with this on record. */
export function withStatus(seen: Observation, recorded: EtcdClusterStatus): Observation {
  return { ...seen, cluster: { ...seen.cluster, status: { ...seen.cluster.status, ...recorded } } };
}
