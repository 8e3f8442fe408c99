import { clientServiceName, disruptionBudgetName, peerServiceName } from "../../api/cluster-names.ts";
import type { EtcdCluster } from "../../api/etcd-cluster.ts";
import type { KubeObject, Stored } from "../../kubernetes/kube-object.ts";
import type { ObjectSeen, OwnedObjects } from "../observation.ts";
import type { Source } from "./kubernetes-source.ts";
import { isOwnedBy } from "./ownership.ts";

/** The objects that a cluster has one of each. */
export async function objectsSeen({ metadata }: Stored<EtcdCluster>, source: Source): Promise<OwnedObjects> {
  const { name, uid } = metadata;
  const [peerService, clientService, disruptionBudget] = await Promise.all([
    source.service(peerServiceName(name)),
    source.service(clientServiceName(name)),
    source.disruptionBudget(disruptionBudgetName(name)),
  ]);
  return {
    peerService: objectSeen(peerService, uid),
    clientService: objectSeen(clientService, uid),
    disruptionBudget: objectSeen(disruptionBudget, uid),
  };
}

function objectSeen<T extends KubeObject>(object: Stored<T> | undefined, clusterUid: string): ObjectSeen<T> {
  if (!object) return { kind: "missing" };
  return isOwnedBy(object, clusterUid) ? { kind: "ours", object } : { kind: "foreign" };
}
