import type { EtcdCluster } from "../../api/etcd-cluster.ts";
import { SCOPE_ANNOTATION } from "../../api/group.ts";

/** For what is asked of other controllers: whoever looks after the cluster looks after it. */
export function scopeOf({ metadata }: EtcdCluster): { annotations?: Record<string, string> } {
  const scope = metadata.annotations?.[SCOPE_ANNOTATION];
  return scope === undefined ? {} : { annotations: { [SCOPE_ANNOTATION]: scope } };
}
