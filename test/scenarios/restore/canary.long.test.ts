import assert from "node:assert/strict";
import type { BackupPlace } from "@etcd-operator/testing/scenario/backup/backup-places.ts";
import { BackupsUnderTest } from "@etcd-operator/testing/scenario/backup/backups-under-test.ts";
import { type Cloud, cloudPlace } from "@etcd-operator/testing/scenario/backup/cloud-places.ts";
import { volumePlace } from "@etcd-operator/testing/scenario/backup/volume-place.ts";
import { Certificates } from "@etcd-operator/testing/scenario/cluster/certificates.ts";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import { CanaryWatch } from "@etcd-operator/testing/scenario/leaks/canary-watch.ts";
import { isRecreated } from "@etcd-operator/testing/scenario/restore/restored.ts";
import { afterAll, beforeAll, describe, test } from "vitest";

const scenario = clusterScenario({ operator: false });
const CLOUDS = ["s3", "oss", "azure", "gcs"] as const;
const places = {} as Record<Cloud | "volume", BackupPlace>;
const all = () => Object.values(places);

beforeAll(async () => {
  for (const cloud of CLOUDS) places[cloud] = await cloudPlace(cloud);
  places.volume = await volumePlace();
});
afterAll(() => Promise.all(all().map((place) => place.stop())));

const EVERY_MINUTE = "* * * * *";
const WRONG_KEY = "canary-of-a-key-that-opens-nothing";

/** The same store, by way of a Secret that does not open it. */
function wrong(place: BackupPlace, name: string, stringData: Readonly<Record<string, string>>): BackupPlace {
  const block = (key: string) => {
    const [[kind, given] = ["", {}]] = Object.entries(place.block(key));
    const field = { s3: "awsSecret", oss: "ossSecret", abs: "absSecret", gcs: "gcpSecret" }[kind] ?? "";
    return { [kind]: { ...given, [field]: name } };
  };
  const secret = { apiVersion: "v1", kind: "Secret", metadata: { namespace: "default", name }, stringData };
  return { ...place, objects: [secret], block };
}

function cloudOf({ objects: [secret] }: BackupPlace): string {
  return (secret as { stringData: { cloud: string } }).stringData.cloud;
}

function wrongPlaces(): Readonly<Record<string, BackupPlace>> {
  const profile = (secret: string) =>
    `[default]\naws_access_key_id = TESTACCESSKEYID\naws_secret_access_key = ${secret}\n`;
  const config = "[default]\nregion = eu-test-1\n";
  const { s3, oss, azure, gcs } = places;
  const azureKey = Buffer.from(WRONG_KEY).toString("base64");
  return {
    "s3-wrong": wrong(s3, "s3-wrong", { credentials: profile(WRONG_KEY), config }),
    "s3-garbled": wrong(s3, "s3-garbled", { credentials: `aws_secret_access_key = ${WRONG_KEY}-garbled`, config }),
    "oss-wrong": wrong(oss, "oss-wrong", { accessKeyID: "TESTACCESSKEYID", accessKeySecret: WRONG_KEY }),
    "azure-wrong": wrong(azure, "azure-wrong", {
      "storage-account": "backupsoftests",
      "storage-key": azureKey,
      cloud: cloudOf(azure),
    }),
    "azure-garbled": wrong(azure, "azure-garbled", {
      "storage-account": "backupsoftests",
      "storage-key": `%%${WRONG_KEY}-azure%%`,
    }),
    "gcs-garbled": wrong(gcs, "gcs-garbled", {
      "credentials.json": `{"type":"service_account","private_key":"${WRONG_KEY}-of-an-account`,
    }),
    "gcs-token": wrong(gcs, "gcs-token", { "access-token": `${WRONG_KEY}-token\u0001` }),
  };
}

describe("what Secrets hold", { timeout: 500_000 }, () => {
  test("is seen nowhere else while backups, restores and drills succeed and fail", async () => {
    const operator = await scenario.startOperator({ flags: ["--log-level=trace"], env: { ...places.gcs.operatorEnv } });
    const watch = CanaryWatch.start(scenario, operator);
    const certificates = await Certificates.create(scenario.local, "canary");
    const cluster = await scenario.create("canary", { isTls: true, claims: true, whenDeleted: "Delete" });
    await certificates.give(cluster);
    await cluster.settled(3);
    const [inS3, ...others] = await Promise.all(all().map((place) => BackupsUnderTest.at(scenario, place)));
    assert.ok(inS3);
    const policy = { backupIntervalInSecond: 3_600, drillSchedule: EVERY_MINUTE };
    await inS3.create("drilled", "canary", { policy });
    for (const [index, backups] of others.entries()) await backups.taken(`sound-${index}`, "canary");

    for (const [name, place] of Object.entries(wrongPlaces())) {
      const backups = await BackupsUnderTest.at(scenario, place);
      await backups.create(name, "canary");
      await backups.restore("canary", name, {}, name);
      const reason = await backups.restoreFails(name);
      const { lastError } = await backups.becomes(name, "to fail", (status) => status.lastError);
      process.stdout.write(`  ${name}: ${reason}\n    ${lastError}\n`);
    }

    await inS3.becomes("drilled", "to be proved", ({ drill }) => drill?.succeeded);
    for (const [index, backups] of others.entries()) {
      const key = `sound-${index}`;
      await backups.restore("canary", key, {}, key);
      await backups.restoreSucceeds(key);
      await isRecreated(cluster);
      await cluster.settled(3);
    }
    await watch.end();
    assertSawAll(watch);
    await cluster.delete();
    await cluster.isGone();
  });
});

/** A watch that looks past everything would find nothing, either. */
function assertSawAll({ canaries, places: seen }: CanaryWatch): void {
  for (const { canaries: planted } of all()) {
    for (const canary of planted) assert.ok(canaries.has(canary), "the keys of the stores were looked for");
  }
  const from = [...new Set(canaries.values())];
  process.stdout.write(
    `  ${canaries.size} canaries of ${from.length} Secrets, looked for in ${seen.size} kinds of places\n`,
  );
  assert.ok(from.filter((name) => /^drilled-.*-transfer$/.test(name)).length >= 1, "that of a drill");
  assert.ok(from.filter((name) => /-worker-.*-transfer$/.test(name)).length >= 1, "that of a worker");
  assert.ok(
    from.filter((name) => /^canary-[a-z0-9]{10}-transfer$/.test(name)).length >= 2,
    "those of restored members",
  );
  assert.ok(["etcd-peer-tls", "etcd-server-tls", "etcd-client-tls"].every((name) => from.includes(name)));
  const kinds = [
    "Pod",
    "Event",
    "EtcdBackup",
    "EtcdRestore",
    "EtcdCluster",
    "metrics",
    "log of receive",
    "log of etcd",
  ];
  for (const kind of [...kinds, "arguments of etcd"]) assert.ok(seen.has(kind), kind);
  assert.ok([...seen].some((kind) => /^log operator/.test(kind)));
}
