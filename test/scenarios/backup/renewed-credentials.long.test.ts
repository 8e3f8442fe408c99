import assert from "node:assert/strict";
import type { FaultyPlace } from "@etcd-operator/testing/scenario/backup/backup-places.ts";
import { type Cloud, faultyPlace } from "@etcd-operator/testing/scenario/backup/cloud-places.ts";
import { recovers } from "@etcd-operator/testing/scenario/backup/needs-attention.ts";
import { CLOUDS, StoresUnderTest } from "@etcd-operator/testing/scenario/backup/stores-under-test.ts";
import type { ClusterUnderTest } from "@etcd-operator/testing/scenario/cluster/cluster-under-test.ts";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import { afterAll, beforeAll, describe, test } from "vitest";

const OFTEN = { backupIntervalInSecond: 5 };
const OF_S3 = /'backups\/(s3|oss)-expired.*': .*the keys in the Secret/;

/** A volume has no credentials that anybody renews: each worker gets its own, for as long as it lives. */
const SAYS: Readonly<Record<Cloud, RegExp>> = {
  s3: OF_S3,
  oss: OF_S3,
  azure: /'backups\/azure-expired.*': .*'storage-key' in the Secret/,
  gcs: /'backups\/gcs-expired.*': .*the service account 'backup@project/,
};

const scenario = clusterScenario({ operator: false });
let stores: StoresUnderTest<FaultyPlace>;
let cluster: ClusterUnderTest;

beforeAll(async () => {
  stores = await StoresUnderTest.start(scenario, faultyPlace, CLOUDS);
  cluster = await scenario.create("source");
  await cluster.settled(3);
});
afterAll(() => stores?.stop());

describe.each(CLOUDS)("credentials of %s that have expired", { timeout: 200_000 }, (cloud) => {
  test("are reported, and backups continue when the Secret has others", async () => {
    const { place, backups } = stores.cloud(cloud);
    const name = `${cloud}-expired`;
    const witness = await cluster.witness({ name });
    await backups.create(name, "source", { policy: OFTEN });
    const before = await backups.succeeds(name);
    const renewed = await place.expire();
    const after = await recovers(backups, name, { says: SAYS[cloud], mend: () => scenario.local.apply(renewed) });
    assert.notEqual(after.lastBackup?.path, before.lastBackup?.path);
    assert.ok((after.lastBackup?.revision ?? 0) > (before.lastBackup?.revision ?? 0));
    await backups.delete(name);
    await cluster.verify(witness);
  });
});

describe.skipIf(!CLOUDS.includes("gcs"))("an access token of gcs that has expired", { timeout: 200_000 }, () => {
  test("is reported, and backups continue when the Secret has another", async () => {
    const { place, backups } = stores.cloud("gcs");
    const renew = () => scenario.local.apply(place.aToken?.() ?? {});
    await renew();
    const name = "token-expired";
    const spec = { gcs: { path: `backups/${name}`, gcpSecret: "token" } };
    await backups.create(name, "source", { policy: OFTEN, spec });
    const before = await backups.succeeds(name);
    await place.expire();
    const after = await recovers(backups, name, { says: /access token in the Secret/, mend: renew });
    assert.notEqual(after.lastBackup?.path, before.lastBackup?.path);
    await backups.delete(name);
  });
});
