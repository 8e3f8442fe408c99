import { resources } from "@etcd-operator/kubernetes-client";
import { ownResources } from "@etcd-operator/operator/objects/own-resources.ts";
import { A_CLAIM } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import { CLUSTER, type Stage } from "../workloads/stage.ts";
import type { Workload } from "../workloads/workload.ts";

const VOLUME = { etcdCluster: { name: CLUSTER }, volume: { claimName: "backups", path: "etcd/backup" } };
const LIMIT_MS = 600_000;

/** What users do with backups on a volume, which a pod of the operator's serves for as long as it is used. */
export const volumeWorkloads: readonly Workload[] = [
  {
    name: "volume-backup",
    prepare: (stage) => withVolume(stage, 1),
    act: createBackup,
    missing: notBackedUp,
  },
  {
    name: "volume-restore",
    prepare: async (stage) => {
      // Two, so that one of them is made from the backup and another joins it.
      await withVolume(stage, 2);
      await createBackup(stage);
      const isDone = await stage.time.until(() => notBackedUp(stage).length === 0, LIMIT_MS);
      if (!isDone) throw new Error(`the set-up has ${notBackedUp(stage).join()}`);
    },
    act: (stage) =>
      stage.create(ownResources.etcdRestores, CLUSTER, { spec: { ...VOLUME, backupStorageType: "Volume" } }),
    missing: (stage) => [
      ...(stage.restore?.status?.succeeded ? [] : [`not restored: ${stage.restore?.status?.reason}`]),
      ...stage.unsettled(),
    ],
  },
];

async function withVolume(stage: Stage, size: number): Promise<void> {
  stage.backups.hasWorkers = true;
  await stage.create(resources.persistentVolumeClaims, VOLUME.volume.claimName, { spec: A_CLAIM });
  await stage.createCluster({ size, bootstrap: { mode: "Parallel" } });
  await stage.settled();
}

function createBackup(stage: Stage): Promise<void> {
  return stage.create(ownResources.etcdBackups, "backup", { spec: { ...VOLUME, storageType: "Volume" } });
}

function notBackedUp({ backup }: Stage): readonly string[] {
  return backup?.status?.succeeded ? [] : [`no backup: ${backup?.status?.Reason}`];
}
