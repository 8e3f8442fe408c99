import type { EtcdCluster } from "../../api/etcd-cluster.ts";
import { judgedObject } from "../../kubernetes/judged-object.ts";
import type { Stored } from "../../kubernetes/kube-object.ts";
import type { Observation } from "../observation.ts";

/** A cluster with every default filled in, or as it is stored, with what is wrong with its spec. */
export function clusterSeen(stored: Stored<EtcdCluster>): Pick<Observation, "cluster" | "problems"> {
  const { object: cluster, problems } = judgedObject("EtcdCluster", stored);
  return { cluster, problems };
}
