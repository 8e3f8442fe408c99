import type { EtcdCluster } from "../../api/etcd-cluster.ts";
import { SCOPE_ANNOTATION } from "../../api/group.ts";

/** For objects for other controllers: the operator that manages the cluster manages them. */
export function scopeOf({ metadata }: EtcdCluster): { annotations?: Record<string, string> } {
  const scope = metadata.annotations?.[SCOPE_ANNOTATION];
  return scope === undefined ? {} : { annotations: { [SCOPE_ANNOTATION]: scope } };
}
