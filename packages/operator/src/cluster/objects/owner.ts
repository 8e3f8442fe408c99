import type { OwnerReference } from "kubernetes-types/meta/v1.d.ts";
import type { EtcdCluster } from "../../api/etcd-cluster.ts";
import { API_VERSION } from "../../api/group.ts";

/** Has the garbage collector delete an object with its cluster. */
export function ownerReference(cluster: EtcdCluster): OwnerReference {
  const { name, uid = "" } = cluster.metadata;
  return { apiVersion: API_VERSION, kind: "EtcdCluster", name, uid, controller: true };
}
