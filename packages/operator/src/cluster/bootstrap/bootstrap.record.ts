import type { EtcdClusterStatus } from "../../api/etcd-cluster.ts";
import type { Action } from "../model/action.ts";
import type { Observation } from "../model/observation.ts";
import { withStatus } from "../model/with-status.ts";
import { type RestoreStatus, undecidedRestore } from "../restore/restoring.rule.ts";

type ActionOf<K extends Action["kind"]> = Extract<Action, { kind: K }>;

/** Which members found the cluster. */
export function recordSeeds(seen: Observation, { names, incarnation }: ActionOf<"declare-seeds">): Observation {
  const memberIntents = names.map((name) => ({ name, incarnation, purpose: "Seed" as const }));
  return withStatus(seen, { incarnation, memberIntents, ...restoreIn(seen, "Restoring") });
}

/** Which cluster it is: from then on answers of any other count for nothing. */
export function recordCluster(seen: Observation, action: ActionOf<"record-cluster">): Observation {
  const { clusterId: clusterID, incarnation } = action;
  return withStatus(seen, { clusterID, incarnation, startFailures: undefined, ...restoreIn(seen, "Joining") });
}

/** Which cluster it goes on as, and of which deleted EtcdCluster that was. */
export function recordReattached(seen: Observation, action: ActionOf<"reattach" | "adopt-orphans">): Observation {
  const { clusterId: clusterID, incarnation, from } = action;
  return withStatus(seen, { clusterID, incarnation, ...(from !== "" && { reattachedFrom: from }) });
}

/** The restore that the cluster is bootstrapped by, if it is by one, in its next state. */
function restoreIn({ cluster }: Observation, state: RestoreStatus["state"]): Pick<EtcdClusterStatus, "restore"> {
  const restore = undecidedRestore(cluster.status ?? {});
  return restore ? { restore: { ...restore, state } } : {};
}
