import assert from "node:assert/strict";
import type { ObjectStore } from "@etcd-operator/object-store";
import { obstacleTo, versitygw } from "@etcd-operator/testing/objectstore/go-program.ts";
import type { FaultyPlace } from "@etcd-operator/testing/scenario/backup/backup-places.ts";
import { BackupsUnderTest } from "@etcd-operator/testing/scenario/backup/backups-under-test.ts";
import { faultyS3Place } from "@etcd-operator/testing/scenario/backup/cloud-places.ts";
import { storedBackups } from "@etcd-operator/testing/scenario/backup/stored-backups.ts";
import type { ClusterUnderTest } from "@etcd-operator/testing/scenario/cluster/cluster-under-test.ts";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import { fill } from "@etcd-operator/testing/scenario/data/fill.ts";
import { signalEtcd } from "@etcd-operator/testing/scenario/faults/member-faults.ts";
import { sentBytes, streamingMember } from "@etcd-operator/testing/scenario/faults/streaming-member.ts";
import { titleWith } from "@etcd-operator/testing/skipped.ts";
import { afterAll, beforeAll, describe, test } from "vitest";

const MIB = 2 ** 20;
/** More than lies in memory on its way. */
const FILLING_MIB = 64;

const obstacle = await obstacleTo(versitygw);
const scenario = clusterScenario();
let place: FaultyPlace;
let store: ObjectStore;
let backups: BackupsUnderTest;
let cluster: ClusterUnderTest;

describe.skipIf(obstacle)(titleWith("while a snapshot is being streamed", obstacle), { timeout: 200_000 }, () => {
  beforeAll(async () => {
    place = await faultyS3Place();
    store = await place.open();
    backups = await BackupsUnderTest.at(scenario, place);
    cluster = await scenario.create("source");
    await cluster.settled(3);
    await fill(cluster, FILLING_MIB);
    await cluster.areInSync();
  });
  afterAll(async () => {
    await store?.close();
    await place?.stop();
  });

  test("the leader is killed, and the backup goes on, for it comes from another member", async () => {
    const witness = await cluster.witness({ name: "leader-killed" });
    const streaming = await beginSlowly("leader-killed");
    const { leader } = await cluster.roles();
    assert.notEqual(streaming.metadata.name, leader.metadata.name, "the leader has enough to do");
    await signalEtcd(scenario, leader, "SIGKILL");
    await witness.writesAgain();
    await isVerified("leader-killed", { failures: 0 });
    await cluster.settled(3);
    await cluster.verify(witness);
  });

  test("the member that it comes from is killed, and the backup is begun again from another one", async () => {
    const witness = await cluster.witness({ name: "source-killed" });
    const streaming = await beginSlowly("source-killed");
    await signalEtcd(scenario, streaming, "SIGKILL");
    const isTold = ({ lastError = "" }) => lastError;
    const { lastError, succeeded } = await backups.becomes("source-killed", "to tell of it", isTold);
    process.stdout.write(`  source-killed: ${lastError}\n`);
    assert.equal(succeeded, undefined, "that was not the last word");
    assert.deepEqual(await storedBackups(store, "source-killed"), [], "nothing is there of the first attempt");
    assert.deepEqual(await place.unfinishedUploads(), []);
    await isVerified("source-killed", { failures: 1 });
    await cluster.settled(3);
    await cluster.verify(witness);
  });

  test("all members are killed, and the backup is taken when they are back", async () => {
    const witness = await cluster.witness({ name: "all-killed" });
    await witness.writesAgain();
    await beginSlowly("all-killed");
    for (const pod of await cluster.pods()) await signalEtcd(scenario, pod, "SIGKILL");
    await isVerified("all-killed", { failures: 1 });
    await cluster.settled(3);
    await cluster.verify(witness);
  });
});

/** Begins a backup and returns whom it comes from, in the middle of it. */
async function beginSlowly(name: string) {
  place.faults.clear();
  place.faults.slow(MIB);
  const before = await sentBytes(cluster);
  await backups.create(name, "source");
  await backups.becomes(name, "to be streamed", ({ progress }) => (progress?.bytes ?? 0) > 0);
  return streamingMember(cluster, before);
}

async function isVerified(name: string, { failures }: { readonly failures: number }): Promise<void> {
  place.faults.clear();
  const started = performance.now();
  const { lastBackup } = await backups.succeeds(name);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const [found] = await storedBackups(store, name);
  assert.deepEqual([found?.metadata.revision, found?.metadata.sha256], [lastBackup?.revision, lastBackup?.sha256]);
  assert.deepEqual(await place.unfinishedUploads(), []);
  const attempts = place.faults.requests.filter((request) => /^POST .*\?uploads/.test(request)).length;
  assert.equal(attempts, failures, "attempts since the kill");
  process.stdout.write(
    `  ${name}: revision ${lastBackup?.revision}, ${lastBackup?.sizeBytes} bytes, after ${seconds} s\n`,
  );
}
