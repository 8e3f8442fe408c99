import assert from "node:assert/strict";
import { obstacleTo, versitygw } from "@etcd-operator/testing/objectstore/go-program.ts";
import { BackupsUnderTest } from "@etcd-operator/testing/scenario/backup/backups-under-test.ts";
import { type FaultyS3Place, faultyS3Place } from "@etcd-operator/testing/scenario/backup/cloud-places.ts";
import { storedBackups } from "@etcd-operator/testing/scenario/backup/stored-backups.ts";
import type { ClusterUnderTest } from "@etcd-operator/testing/scenario/cluster/cluster-under-test.ts";
import { runsVersion } from "@etcd-operator/testing/scenario/cluster/rolled.ts";
import { conditionOf } from "@etcd-operator/testing/scenario/cluster/settled.ts";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import { holdsWhatWas } from "@etcd-operator/testing/scenario/data/same-keys.ts";
import { titleWith } from "@etcd-operator/testing/skipped.ts";
import { afterAll, beforeAll, describe, test } from "vitest";

const [FROM, TO] = ["3.5.35", "3.6.16"];
const upgrade = { backupName: "nightly" };
const HOURLY = { backupIntervalInSecond: 3_600 };

const obstacle = await obstacleTo(versitygw);
const scenario = clusterScenario();
let place: FaultyS3Place;
let backups: BackupsUnderTest;

describe.skipIf(obstacle)(
  titleWith("a backup before members leave their minor", obstacle),
  { timeout: 300_000 },
  () => {
    beforeAll(async () => {
      place = await faultyS3Place();
      backups = await BackupsUnderTest.at(scenario, place);
    });
    afterAll(() => place?.stop());

    test("is asked for, taken, and only then the first member gets the new version", async () => {
      const cluster = await scenario.create("careful", { version: FROM });
      await cluster.settled(3);
      const [uids, witness] = [await cluster.podUids(), await cluster.witness()];
      await witness.writesAgain(50);
      await cluster.changeSpec({ version: TO, upgrade });
      await upgradingSays(cluster, /'nightly': this EtcdBackup does not exist/);
      assert.deepEqual(await cluster.podUids(), uids);

      await backups.create("nightly", "careful", { policy: HOURLY });
      const { generation } = (await cluster.get()).metadata;
      const name = `careful-before-3.6-${generation}`;
      const { lastBackup, lastSuccessDate } = await backups.succeeds(name);
      process.stdout.write(`  ${name}: ${lastBackup?.path}, revision ${lastBackup?.revision}\n`);
      assert.equal(lastBackup?.path, `backups/nightly-before-3.6-${generation}`);
      assert.equal(lastBackup?.etcdVersion, FROM, "it is of what was before");
      await runsVersion(cluster, { version: TO, size: 3 });
      assert.ok(
        Date.parse(lastSuccessDate ?? "") <= (await startOfNewest(cluster)),
        "no member was changed before the backup existed",
      );
      await cluster.verify(witness);
      await restores(cluster, place.keyAt(lastBackup?.path ?? ""), lastBackup?.revision ?? 0);
    });

    test("that fails is reported with its reason, and no member is changed until it has succeeded", async () => {
      const cluster = await scenario.create("unlucky", { version: FROM });
      await cluster.settled(3);
      const [uids, witness] = [await cluster.podUids(), await cluster.witness()];
      await backups.create("never", "unlucky", { policy: HOURLY, spec: { s3: inBucket("not-yet") } });
      await cluster.changeSpec({ version: TO, upgrade: { backupName: "never" } });
      const said = await upgradingSays(cluster, /did not succeed: .*there is no such bucket: make it/);
      process.stdout.write(`  unlucky: ${said}\n`);
      await witness.writesAgain(50);
      assert.deepEqual(await cluster.podUids(), uids);
      await place.makeBucket("not-yet");
      await runsVersion(cluster, { version: TO, size: 3 });
      await cluster.verify(witness);
    });
  },
);

async function upgradingSays(cluster: ClusterUnderTest, text: RegExp): Promise<string> {
  const said = (now: Parameters<typeof conditionOf>[0]) => conditionOf(now, "Upgrading")?.message ?? "";
  return said(await cluster.becomes(`to say ${text}`, (now) => text.test(said(now)), 60_000));
}

/** When the first member was started with what it runs now. */
async function startOfNewest(cluster: ClusterUnderTest): Promise<number> {
  const starts = (await cluster.pods()).map(({ status }) => {
    const etcd = status?.containerStatuses?.find(({ name }) => name === "etcd");
    return Date.parse(etcd?.state?.running?.startedAt ?? "");
  });
  return Math.min(...starts);
}

/** The way back, if the new minor had been a mistake. */
async function restores(source: ClusterUnderTest, key: string, revision: number): Promise<void> {
  const store = await place.open();
  assert.equal((await storedBackups(store, key)).length, 1);
  await store.close();
  await backups.restore("before", key, { clusterTemplate: { spec: { size: 1, version: FROM } } as never });
  await backups.restoreSucceeds("before");
  const cluster = scenario.cluster("before");
  await cluster.settled(1);
  await holdsWhatWas(cluster, source, revision);
}

function inBucket(bucket: string) {
  const { s3 } = place.block("unlucky");
  return { ...s3, path: `${bucket}/unlucky` };
}
