import { ownClusterIds } from "../api/own-cluster-ids.ts";
import { isOwnedBy } from "./attempt.ts";
import type { Observation } from "./observation.ts";
import type { Target } from "./tasks/refusal.ts";

/** What there is decides; the template says only what a new cluster would be. */
export function targetOf({ restore, cluster }: Observation): Target {
  const spec = cluster?.spec ?? restore.spec.clusterTemplate?.spec;
  return {
    name: restore.spec.etcdCluster.name,
    version: spec?.version ?? "",
    storage: spec?.pod?.persistentVolumeClaimSpec?.resources?.requests?.storage,
    origins: cluster && isOwnedBy(restore, cluster) ? ownClusterIds(cluster.status) : undefined,
  };
}
