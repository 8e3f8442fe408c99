import { parseVersion } from "@etcd-operator/etcd-client";
import type { Stored } from "@etcd-operator/kubernetes-client";
import { KubernetesError } from "@etcd-operator/kubernetes-client";
import type { EtcdCluster } from "../../api/etcd-cluster.ts";
import type { PodSeen, UpgradeBackupSeen } from "../model/observation.ts";
import { upgradeBackupName } from "../objects/upgrade-backup.ts";
import type { Source } from "./kubernetes-source.ts";
import { isOwnedBy } from "./ownership.ts";

/**
 * The state of the snapshot before an upgrade; undefined when no member is about to leave its minor, or none is
 * wanted.
 */
export async function upgradeBackupSeen(
  cluster: Stored<EtcdCluster>,
  pods: readonly PodSeen[],
  source: Pick<Source, "backup">,
): Promise<UpgradeBackupSeen | undefined> {
  // What was stored before there was such a field may be without it where the spec has other faults.
  const backupName = cluster.spec.upgrade?.backupName;
  if (!backupName || !pods.some((pod) => isOfLowerMinor(pod, cluster.spec.version))) return undefined;
  const name = upgradeBackupName(cluster);
  try {
    return await standingOf(name, backupName, cluster, source);
  } catch (error) {
    // Members are looked after all the same; they only do not leave their minor.
    if (!(error instanceof KubernetesError) || error.code === "canceled") throw error;
    return { kind: "failed", name, why: error.message };
  }
}

async function standingOf(
  name: string,
  backupName: string,
  cluster: Stored<EtcdCluster>,
  source: Pick<Source, "backup">,
): Promise<UpgradeBackupSeen> {
  const backup = await source.backup(name);
  if (!backup) {
    const template = await source.backup(backupName);
    return template ? { kind: "missing", name, template } : { kind: "no-template", name: backupName };
  }
  if (!isOwnedBy(backup, cluster.metadata.uid))
    return { kind: "failed", name, why: "it was not created for this cluster" };
  const { succeeded, Reason: why } = backup.status ?? {};
  if (succeeded === undefined) return { kind: "running", name };
  return succeeded ? { kind: "succeeded", name } : { kind: "failed", name, why: why || "it reports no reason" };
}

function isOfLowerMinor({ answer, version }: PodSeen, wanted: string): boolean {
  const [runs, to] = [parseVersion(answer.status?.version ?? version ?? ""), parseVersion(wanted)];
  return runs !== undefined && to !== undefined && runs.minor < to.minor;
}
