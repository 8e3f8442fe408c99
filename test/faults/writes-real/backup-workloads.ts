import { resources } from "@etcd-operator/kubernetes-client";
import { RESTORE_UID_ANNOTATION } from "@etcd-operator/operator/api/restore-request.ts";
import { ownResources } from "@etcd-operator/operator/objects/own-resources.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { CREDENTIALS } from "../workloads/backup-workloads.ts";
import { CLUSTER, type Ground } from "./ground.ts";
import { newCluster } from "./new-cluster.ts";
import type { RealWorkload } from "./workload.ts";

const OF_CLUSTER = { etcdCluster: { name: CLUSTER }, storageType: "S3" };
const S3 = { path: "bucket/etcd/backup", awsSecret: "aws" };
/** Between two backups there is time to find that nothing else is to be done. */
const PERIODIC = { backupPolicy: { backupIntervalInSecond: 6, maxBackups: 2 } };
const WHILE_MS = 20_000;

/** What users do with backups; a few writes of each go wrong. */
export const backupWorkloads: readonly RealWorkload[] = [
  {
    name: "backup",
    ground: "empty",
    prepare: (ground) => withStore(ground, 1),
    act: (ground) => createBackup(ground),
    missing: async ({ backup }) => (backup?.status?.succeeded ? [] : [`no backup: ${backup?.status?.Reason}`]),
    writes: [
      ...["backup-word-1-after-begin", "backup-word-2-after-begin", "store-put-1", "store-delete-1"],
      ...["store-put-2", "backup-word-1-after-store-put-2"],
    ],
    maySend: ["word-1"],
  },
  {
    name: "periodic",
    ground: "empty",
    prepare: (ground) => withStore(ground, 1),
    act: (ground) => createBackup(ground, PERIODIC),
    missing: async (ground) => [...tooSoon(ground), ...notKept(ground)],
    // It would go on for ever.
    finish: async (ground) => ground.deleteAll(ownResources.etcdBackups),
    writes: [
      ...["patch-etcdbackups-1", "backup-word-1-after-patch-etcdbackups-1", "store-put-1", "store-put-2"],
      ...["store-delete-1", "backup-word-1-after-store-put-2", "store-put-3", "store-delete-2", "store-delete-4"],
    ],
    maySend: ["word-1"],
  },
  {
    name: "restore",
    ground: "empty",
    prepare: async (ground) => {
      await withStore(ground, 2);
      await createBackup(ground);
      await until(() => ground.backup?.status?.succeeded, { what: "the backup to restore" });
    },
    act: (ground) =>
      ground.create(ownResources.etcdRestores, CLUSTER, {
        spec: { etcdCluster: { name: CLUSTER }, backupStorageType: "S3", s3: S3 },
      }),
    missing: async (ground) => [
      ...(ground.restore?.status?.succeeded ? [] : [`not restored: ${ground.restore?.status?.reason}`]),
      ...(await ground.unsettled()),
      ...asRestored(ground),
    ],
    founds: 1,
    losesData: true,
    writes: [
      ...["patch-etcdrestores-1", "restore-word-1-after-patch-etcdrestores-1", "store-put-1", "patch-etcdclusters-1"],
      ...[
        "post-pods-1",
        "post-secrets-1",
        "patch-pods-status-1",
        "add-member-1",
        "post-pods-2",
        "promote-member-1",
        "delete-pods-1",
      ],
    ],
    maySend: [
      ...["word-1", "intents-1", "record-1", "store-delete-1", "patch-pods-1"],
      ...["patch-poddisruptionbudgets-1", "move-leader-1", "remove-member-1"],
    ],
  },
];

/** With a Secret for the store of its backups. */
async function withStore(ground: Ground, size: number): Promise<void> {
  await newCluster(ground, { size });
  const credentials = Buffer.from(CREDENTIALS).toString("base64");
  await ground.create(resources.secrets, S3.awsSecret, { data: { credentials } });
}

async function createBackup(ground: Ground, spec: object = {}): Promise<void> {
  await ground.create(ownResources.etcdBackups, "backup", { spec: { ...OF_CLUSTER, s3: S3, ...spec } });
}

/** The member that was made from the backup has no volume to be started on again, so another takes its place. */
function asRestored({ pods }: Ground): readonly string[] {
  const left = pods.filter(({ metadata }) => metadata.annotations?.[RESTORE_UID_ANNOTATION] !== undefined);
  return left.map(({ metadata }) => `${metadata.name} is still as it was restored`);
}

function tooSoon({ backup }: Ground): readonly string[] {
  const sinceMs = Date.now() - Date.parse(backup?.metadata.creationTimestamp ?? "");
  return sinceMs >= WHILE_MS ? [] : ["it has not gone on for long enough"];
}

function notKept({ storedKeys }: Ground): readonly string[] {
  return storedKeys.length === PERIODIC.backupPolicy.maxBackups ? [] : [`kept are ${storedKeys.join(", ")}`];
}
