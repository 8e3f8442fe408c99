import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { obstacleTo, versitygw } from "@etcd-operator/testing/objectstore/go-program.ts";
import { type S3Server, startS3Server } from "@etcd-operator/testing/objectstore/s3-server.ts";
import { BackupsUnderTest } from "@etcd-operator/testing/scenario/backup/backups-under-test.ts";
import { volumePlace } from "@etcd-operator/testing/scenario/backup/volume-place.ts";
import type { ClusterUnderTest } from "@etcd-operator/testing/scenario/cluster/cluster-under-test.ts";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import { isRecreated } from "@etcd-operator/testing/scenario/restore/restored.ts";
import { titleWith } from "@etcd-operator/testing/skipped.ts";
import { afterAll, beforeAll, describe, test } from "vitest";

const BACKUPS = "example/etcd-backup-operator";
const RESTORES = "example/etcd-restore-operator";
const NAME = "example-etcd-cluster";

const obstacle = await obstacleTo(versitygw);
const scenario = clusterScenario();
let server: S3Server;
let cluster: ClusterUnderTest;
let backups: BackupsUnderTest;
/** The operator of local mode is no pod, and so does not know Services by their names. */
let serviceIp: string;

describe.skipIf(obstacle)(titleWith("the examples, run as their comments say", obstacle), { timeout: 300_000 }, () => {
  beforeAll(async () => {
    const { local } = scenario;
    server = await startS3Server({ bucket: "my-bucket" });
    await local.kubectl("create", "-f", "example/example-etcd-cluster.yaml");
    cluster = scenario.cluster(NAME);
    await cluster.settled(3);
    await cluster.put("hello", "world");
    serviceIp = await local.kubectl("get", "service", `${NAME}-client`, "-o", "jsonpath={.spec.clusterIP}");
    const { accessKeyId, secretAccessKey, region } = server;
    const keys = `[default]\naws_access_key_id = ${accessKeyId}\naws_secret_access_key = ${secretAccessKey}\n`;
    const credentials = await file("credentials", keys);
    const config = await file("config", `[default]\nregion = ${region}\n`);
    await local.kubectl("create", "secret", "generic", "aws", `--from-file=${credentials}`, `--from-file=${config}`);
    // Only to read what becomes of them.
    backups = await BackupsUnderTest.at(scenario, await volumePlace("unused"));
  });
  afterAll(() => server?.stop());

  test("backup_cr.yaml takes a backup, from the address of the client Service", async () => {
    await create(`${BACKUPS}/backup_cr.yaml`);
    await succeeds("etcdbackup/example-etcd-cluster-backup");
    const { lastBackup } = (await backups.get("example-etcd-cluster-backup")).status ?? {};
    assert.equal(lastBackup?.path, "my-bucket/etcd/example");
  });

  test("periodic_backup_cr.yaml takes the first at once, and the next within the hour", async () => {
    await create(`${BACKUPS}/periodic_backup_cr.yaml`);
    const name = "example-etcd-cluster-periodic-backup";
    await succeeds(`etcdbackup/${name}`);
    const { lastBackup, lastRun = "", nextRun = "" } = (await backups.get(name)).status ?? {};
    assert.match(lastBackup?.path ?? "", /^my-bucket\/etcd\/example_v\d+_\d{4}-\d\d-\d\d-\d\d:\d\d:\d\d$/);
    assert.equal(Date.parse(nextRun) - Date.parse(lastRun), 3_600_000);
  });

  test("volume_backup_cr.yaml and scheduled_backup_cr.yaml share a volume", async () => {
    await create(`${BACKUPS}/volume_backup_cr.yaml`);
    await create(`${BACKUPS}/scheduled_backup_cr.yaml`);
    await succeeds("etcdbackup/example-volume-backup");
    await succeeds("etcdbackup/example-nightly-backup");
    const { lastBackup, nextRun = "" } = (await backups.get("example-nightly-backup")).status ?? {};
    assert.match(lastBackup?.path ?? "", /^example\/nightly_v\d+_/);
    const time = new Date(nextRun).toLocaleTimeString("en-GB", { timeZone: "Europe/Berlin" });
    assert.equal(time, "03:00:00");
  });

  test("restore_cr.yaml brings the cluster back to the backup, while it is written to", async () => {
    await cluster.put("hello", "changed");
    const witness = await cluster.witness();
    await witness.writesAgain();
    const { etcdRevision = 0 } = (await backups.get("example-etcd-cluster-backup")).status ?? {};
    await create(`${RESTORES}/restore_cr.yaml`);
    await backups.restoreBecomes(NAME, "to be asked for", ({ phase }) => phase === "Restoring");
    await witness.stop();
    await succeeds(`etcdrestore/${NAME}`);
    await isRecreated(cluster);
    await cluster.settled(3);
    assert.equal(await cluster.valueOf("hello"), "world");
    assert.equal((await backups.getRestore(NAME)).status?.snapshot?.revision, etcdRevision);
  });
});

/** Fills the placeholders in, and adds what leads to the server of the test instead of AWS. */
async function create(path: string): Promise<void> {
  const elsewhere = ["<aws-secret>", `endpoint: ${server.url}`, "forcePathStyle: true"].join("\n    ");
  const filled = (await readFile(path, "utf8"))
    .replace("awsSecret: <aws-secret>", `awsSecret: ${elsewhere}`)
    .replaceAll("<aws-secret>", "aws")
    .replaceAll("<full-s3-path>", "my-bucket/etcd/example")
    .replaceAll("<etcd-cluster-endpoints>", `"http://${serviceIp}:2379"`);
  await scenario.local.kubectl("create", "-f", await file("example.yaml", filled));
}

async function succeeds(object: string): Promise<void> {
  await scenario.local.kubectl("wait", "--for=jsonpath={.status.succeeded}=true", "--timeout=3m", object);
}

async function file(name: string, text: string): Promise<string> {
  const path = join(scenario.local.stateDir, name);
  await writeFile(path, text);
  return path;
}
