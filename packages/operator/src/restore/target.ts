import { ownClusterIds, restoredSnapshot } from "../api/cluster/own-cluster-ids.ts";
import type { EtcdCluster } from "../api/etcd-cluster.ts";
import { isOwnedBy } from "./attempt.ts";
import type { Observation } from "./observation.ts";
import type { Target } from "./tasks/refusal.ts";

/** What there is decides; the template says only what a new cluster would be. */
export function targetOf({ restore, cluster }: Observation): Target {
  const spec = cluster?.spec ?? restore.spec.clusterTemplate?.spec;
  return {
    name: restore.spec.etcdCluster.name,
    version: spec?.version || cluster?.status?.desiredVersion || cluster?.status?.currentVersion || "",
    storage: spec?.pod?.persistentVolumeClaimSpec?.resources?.requests?.storage,
    ...(cluster && isOwnedBy(restore, cluster) ? originsOf(cluster.status) : { origins: undefined }),
  };
}

function originsOf(status: EtcdCluster["status"]): Pick<Target, "origins" | "restored"> {
  const restored = restoredSnapshot(status);
  return { origins: ownClusterIds(status), ...(restored && { restored }) };
}
