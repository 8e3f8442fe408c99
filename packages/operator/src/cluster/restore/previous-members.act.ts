import type { Stored } from "@etcd-operator/kubernetes-client";
import { resources } from "@etcd-operator/kubernetes-client";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import type { EtcdCluster } from "../../api/etcd-cluster.ts";
import { type Postponed, postponed } from "../act/postponed.ts";
import type { Work } from "../act/work.ts";
import { isOwnedBy } from "../observe/ownership.ts";
import { withSetAside } from "../observe/set-aside-seen.ts";

/** Why nobody may be made from a snapshot: a member of the cluster before may run, as the API server says this moment. */
export async function whyFormerMembersMayRun({ seen: { cluster }, live }: Work): Promise<Postponed | undefined> {
  const pods = await live.labelled(resources.pods);
  return whyFormerMayRun(
    cluster,
    pods.filter((pod) => isOwnedBy(pod, cluster.metadata.uid)),
  );
}

export function whyFormerMayRun(cluster: Stored<EtcdCluster>, own: readonly Stored<Pod>[]): Postponed | undefined {
  const running = withSetAside(cluster, own, []).setAside.pods.find(({ mayRun }) => mayRun);
  return running && postponed(`${running.name} is of the cluster before, and may run`, 1_000);
}
