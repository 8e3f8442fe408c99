import { resources } from "@etcd-operator/kubernetes-client";
import { ObjectStoreError } from "@etcd-operator/object-store";
import { ownResources } from "@etcd-operator/operator/objects/own-resources.ts";
import { CLUSTER, type Stage } from "./stage.ts";
import type { Workload } from "./workload.ts";

const PATH = "bucket/etcd/backup";
const OF_CLUSTER = { etcdCluster: { name: CLUSTER }, storageType: "S3", s3: { path: PATH, awsSecret: "aws" } };
const EVERY_SECONDS = 300;
const PERIODIC = { backupPolicy: { backupIntervalInSecond: EVERY_SECONDS, maxBackups: 2 } };
/** Long enough for more than are kept, so that some have to go; and between two of them. */
const WHILE_MS = 3.5 * EVERY_SECONDS * 1_000;

/** It must stay confidential: see checks/canaries.ts. */
export const CREDENTIALS =
  "[default]\naws_access_key_id = AKIACANARYCANARY\naws_secret_access_key = Canary+Of+The+Store/7h3q\n";

async function withSecret(stage: Stage): Promise<void> {
  await stage.create(resources.secrets, "aws", { data: { credentials: Buffer.from(CREDENTIALS).toString("base64") } });
}

async function withCluster(stage: Stage): Promise<void> {
  await withSecret(stage);
  await stage.createCluster({ size: 1 });
  await stage.settled();
}

async function withBackup(stage: Stage): Promise<void> {
  await withSecret(stage);
  // Two, so that one of them is made from the backup and another joins it.
  await stage.createCluster({ size: 2, bootstrap: { mode: "Parallel" } });
  await stage.settled();
  await createBackup(stage);
  const isDone = await stage.time.until(() => stage.backup?.status?.succeeded === true, 600_000);
  if (!isDone) throw new Error(`the set-up has no backup: ${stage.backup?.status?.Reason}`);
}

function createBackup(stage: Stage, spec: object = {}): Promise<void> {
  return stage.create(ownResources.etcdBackups, "backup", { spec: { ...OF_CLUSTER, ...spec } });
}

/** What users do with backups. */
export const backupWorkloads: readonly Workload[] = [
  {
    name: "backup",
    prepare: withCluster,
    act: (stage) => createBackup(stage),
    missing: ({ backup }) => (backup?.status?.succeeded ? [] : [`no backup: ${backup?.status?.Reason}`]),
  },
  {
    name: "periodic",
    prepare: withCluster,
    act: (stage) => createBackup(stage, PERIODIC),
    missing: (stage) => [...tooSoon(stage), ...notKept(stage), ...tooOld(stage)],
  },
  {
    name: "restore",
    prepare: withBackup,
    act: (stage) =>
      stage.create(ownResources.etcdRestores, CLUSTER, {
        spec: { etcdCluster: { name: CLUSTER }, backupStorageType: "S3", s3: OF_CLUSTER.s3 },
      }),
    missing: (stage) => [
      ...(stage.restore?.status?.succeeded ? [] : [`not restored: ${stage.restore?.status?.reason}`]),
      ...stage.unsettled(),
    ],
  },
  {
    name: "recover",
    prepare: withRecovery,
    act: loseAll,
    missing: (stage) => [
      ...(stage.restore?.status?.succeeded ? [] : [`not recovered: ${stage.restore?.status?.reason}`]),
      ...stage.unsettled(),
    ],
  },
];

/** The outage that takes a majority takes the way to the store for this long. */
const AWAY_MS = 5 * 60_000;

async function withRecovery(stage: Stage): Promise<void> {
  await withBackup(stage);
  await stage.changeCluster({
    recovery: { onQuorumLoss: "RestoreLatestBackup", backupName: "backup", graceSeconds: 10 },
  });
  await stage.settled();
}

/** Their data goes with them, as they have no volumes. */
async function loseAll(stage: Stage): Promise<void> {
  const backMs = Date.now() + AWAY_MS;
  stage.backups.beforeOpen = ({ type }) => {
    if (Date.now() >= backMs) return;
    throw new ObjectStoreError("unavailable", { operation: `open ${type}`, message: "getaddrinfo EAI_AGAIN" });
  };
  for (const at of [...stage.memberPods.keys()].reverse()) await stage.losePod(at);
}

function tooSoon({ backup }: Stage): readonly string[] {
  const sinceMs = Date.now() - Date.parse(backup?.metadata.creationTimestamp ?? "");
  return sinceMs >= WHILE_MS ? [] : ["it has not gone on for long enough"];
}

function notKept({ storedKeys }: Stage): readonly string[] {
  return storedKeys.length === PERIODIC.backupPolicy.maxBackups ? [] : [`kept are ${storedKeys.join(", ")}`];
}

/** Of those that are kept: as many intervals ago as there are of them, and one for a run that came to nothing. */
function tooOld({ storedKeys }: Stage): readonly string[] {
  const { backupIntervalInSecond, maxBackups } = PERIODIC.backupPolicy;
  const oldestMs = Date.now() - (maxBackups + 1) * backupIntervalInSecond * 1000;
  const old = storedKeys.filter((key) => (takenAtMs(key) ?? oldestMs) < oldestMs);
  return old.map((key) => `${key} is kept in the place of a newer one`);
}

/** `<key>_v<revision>_<YYYY-MM-DD-HH:MM:SS>`. */
function takenAtMs(key: string): number | undefined {
  const [, day, time] = /_(\d{4}-\d\d-\d\d)-(\d\d:\d\d:\d\d)$/.exec(key) ?? [];
  return day && time ? Date.parse(`${day}T${time}Z`) : undefined;
}
