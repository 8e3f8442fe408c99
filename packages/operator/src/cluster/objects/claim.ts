import type { PersistentVolumeClaim } from "kubernetes-types/core/v1.d.ts";
import { memberLabels, namespaceOf } from "../../api/cluster/cluster-names.ts";
import type { EtcdCluster } from "../../api/etcd-cluster.ts";
import { ANNOTATIONS } from "./annotations.ts";
import { ownerReference } from "./owner.ts";
import { claimHash } from "./pod/spec-hash.ts";

/** The claim of a member, named after its pod; undefined where members live in an emptyDir. */
export function claim(cluster: EtcdCluster, member: string, incarnation: number): PersistentVolumeClaim | undefined {
  const spec = cluster.spec.pod?.persistentVolumeClaimSpec;
  if (!spec) return undefined;
  const { name, uid = "" } = cluster.metadata;
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: {
      name: member,
      namespace: namespaceOf(cluster),
      labels: memberLabels(name, member),
      annotations: {
        [ANNOTATIONS.clusterUid]: uid,
        [ANNOTATIONS.incarnation]: String(incarnation),
        [ANNOTATIONS.claimHash]: claimHash(cluster.spec) ?? "",
      },
      ...claimOwners(cluster),
    },
    spec: { ...spec, accessModes: spec.accessModes ?? ["ReadWriteOnce"] },
  };
}

// The garbage collector deletes whatever has an owner that is gone: a claim to be kept must have none.
function claimOwners(cluster: EtcdCluster): Pick<NonNullable<PersistentVolumeClaim["metadata"]>, "ownerReferences"> {
  const { whenDeleted } = cluster.spec.persistentVolumeClaimRetentionPolicy;
  return whenDeleted === "Delete" ? { ownerReferences: [ownerReference(cluster)] } : {};
}
