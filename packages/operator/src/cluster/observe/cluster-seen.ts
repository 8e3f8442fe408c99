import type { Stored } from "@etcd-operator/kubernetes-client";
import type { EtcdCluster } from "../../api/etcd-cluster.ts";
import { judgedObject } from "../../objects/judged-object.ts";
import type { Observation } from "../model/observation.ts";
import { usableSpec } from "../model/usable-spec.ts";

type Seen = Pick<Observation, "cluster" | "problems" | "invalidFields">;

/**
 * A cluster with every default filled in. Where its spec is invalid: why, and of a cluster that
 * has been bootstrapped what of the spec can be relied on; otherwise the spec as it is stored.
 */
export function clusterSeen(stored: Stored<EtcdCluster>): Seen {
  const { object: cluster, problems } = judgedObject("EtcdCluster", stored);
  if (problems.length === 0 || !cluster.status?.clusterID) return { cluster, problems };
  return { problems, ...usableSpec(cluster) };
}
