import type { Stored } from "@etcd-operator/kubernetes-client";
import type { EtcdCluster } from "@etcd-operator/operator/api/etcd-cluster.ts";
import { ANNOTATIONS } from "@etcd-operator/operator/cluster/objects/annotations.ts";
import { isKept } from "@etcd-operator/operator/cluster/restore/restoring.rule.ts";
import type { PersistentVolumeClaim } from "kubernetes-types/core/v1.d.ts";
import type { StoredObjects } from "../world/stored-objects.ts";

/** What bears the label of a cluster, and has no owner: of a cluster that is gone, or of a member that is. */
export function orphans(objects: Pick<StoredObjects, "plurals" | "named">): readonly string[] {
  const clusters = new Map(
    (objects.named("etcdclusters") as unknown as EtcdCluster[]).map((cluster) => [cluster.metadata.name, cluster]),
  );
  const pods = new Set(objects.named("pods").map(({ metadata }) => metadata.name));
  return objects.plurals.flatMap((plural) =>
    objects.named(plural).flatMap((object) => {
      const { name, labels, creationTimestamp: madeAt = "" } = object.metadata;
      const clusterName = labels?.etcd_cluster;
      if (clusterName === undefined) return [];
      const cluster = clusters.get(clusterName);
      if (plural === "persistentvolumeclaims") {
        // Those of an earlier cluster of this name were left to its user.
        const isOfThis = cluster && madeAt >= (cluster.metadata.creationTimestamp ?? "");
        const isLeft =
          isOfThis && !keepsClaims(cluster, object) && isMembers(object as PersistentVolumeClaim) && !pods.has(name);
        return isLeft ? [`${plural}/${name} is a volume without a member`] : [];
      }
      return cluster ? [] : [`${plural}/${name} has outlived its cluster`];
    }),
  );
}

/** Where they are to stay, or may hold data that is in no store, it is not known which object will need them again. */
function keepsClaims({ spec, status = {} }: EtcdCluster, { metadata }: Stored): boolean {
  const incarnation = Number(metadata.annotations?.[ANNOTATIONS.incarnation]);
  return spec.persistentVolumeClaimRetentionPolicy?.whenScaled === "Retain" || isKept({ incarnation }, status);
}

function isMembers({ metadata }: PersistentVolumeClaim): boolean {
  return metadata?.labels?.etcd_node !== undefined;
}
