import { compareVersions, parseVersion } from "@etcd-operator/etcd-client";
import type { Stored } from "@etcd-operator/kubernetes-client";
import type { PersistentVolumeClaim, Pod } from "kubernetes-types/core/v1.d.ts";
import { NEWEST_TESTED_VERSION } from "../../api/cluster/etcd-version.ts";
import type { EtcdCluster } from "../../api/etcd-cluster.ts";
import { withSpec } from "../../objects/judged-object.ts";
import { ownAnnotations } from "./own-annotations.ts";

/** What was made of a cluster, under any EtcdCluster of its name. */
interface Made {
  readonly pods: readonly Stored<Pod>[];
  readonly claims: readonly Stored<PersistentVolumeClaim>[];
}

/**
 * A cluster whose spec names a version. Where the user names none, what is on record decides, so that a release of the
 * operator that knows a newer etcd rolls no cluster; without a record what runs, or last ran; and of a new cluster the
 * newest etcd that this release is tested with.
 */
export function withVersion(cluster: Stored<EtcdCluster>, made: Made): Stored<EtcdCluster> {
  if (cluster.spec.version) return cluster;
  const { desiredVersion, currentVersion } = cluster.status ?? {};
  const version = desiredVersion || currentVersion || newestIn(made) || NEWEST_TESTED_VERSION;
  return withSpec(cluster, { ...cluster.spec, version });
}

/** Of members that run two versions the newer: going on is what they were doing, or no worse than going back. */
function newestIn({ pods, claims }: Made): string | undefined {
  const known = [...pods, ...claims].map((object) => {
    const { version, record } = ownAnnotations(object);
    return version ?? record?.version ?? "";
  });
  const versions = known.flatMap((text) => {
    const parsed = parseVersion(text);
    return parsed ? [{ text, parsed }] : [];
  });
  return versions.sort((a, b) => compareVersions(b.parsed, a.parsed))[0]?.text;
}
