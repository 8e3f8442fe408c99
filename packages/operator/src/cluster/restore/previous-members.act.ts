import type { Stored } from "@etcd-operator/kubernetes-client";
import { resources } from "@etcd-operator/kubernetes-client";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import type { EtcdCluster } from "../../api/etcd-cluster.ts";
import { type Postponed, postponed } from "../act/postponed.ts";
import type { Work } from "../act/work.ts";
import { isOwnedBy } from "../observe/ownership.ts";
import { withSetAside } from "../observe/set-aside-seen.ts";

/** Why no member may be created from a snapshot: a member of the previous cluster may run, according to a live read. */
export async function whyFormerMembersMayRun({ seen: { cluster }, live }: Work): Promise<Postponed | undefined> {
  const pods = await live.labelled(resources.pods);
  return whyFormerMayRun(
    cluster,
    pods.filter((pod) => isOwnedBy(pod, cluster.metadata.uid)),
  );
}

export function whyFormerMayRun(cluster: Stored<EtcdCluster>, own: readonly Stored<Pod>[]): Postponed | undefined {
  const running = withSetAside(cluster, own, []).setAside.pods.find(({ mayRun }) => mayRun);
  return running && postponed(`waiting for ${running.name}, a member of the previous cluster, to stop`, 1_000);
}
