import assert from "node:assert/strict";
import type { ScriptedAnswer } from "@etcd-operator/testing/objectstore/contract/store-harness.ts";
import type { FaultyPlace } from "@etcd-operator/testing/scenario/backup/backup-places.ts";
import { type Cloud, faultyPlace } from "@etcd-operator/testing/scenario/backup/cloud-places.ts";
import { recovers } from "@etcd-operator/testing/scenario/backup/needs-attention.ts";
import { storedBackups } from "@etcd-operator/testing/scenario/backup/stored-backups.ts";
import { CLOUDS, StoresUnderTest } from "@etcd-operator/testing/scenario/backup/stores-under-test.ts";
import type { ClusterUnderTest } from "@etcd-operator/testing/scenario/cluster/cluster-under-test.ts";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import { afterAll, beforeAll, describe, test } from "vitest";

const OFTEN = { backupIntervalInSecond: 5 };
const ALWAYS = Number.POSITIVE_INFINITY;

/** What each says when there is no room, and to which request. A volume that is full has full-volume.long.test.ts. */
interface Full {
  readonly answer: ScriptedAnswer;
  readonly to: string;
  readonly says: RegExp;
}

const xml = (code: string) => `<?xml version="1.0"?><Error><Code>${code}</Code><Message>as scripted</Message></Error>`;
const OF_S3: Full = {
  answer: { status: 507, headers: { "content-type": "application/xml" }, body: xml("QuotaExceeded") },
  to: "PUT .*/",
  says: /'backups\/(s3|oss)-full_v.*': no space is left, or a quota is used up: delete objects, or raise the quota/,
};
const FULL: Readonly<Record<Cloud, Full>> = {
  s3: OF_S3,
  oss: OF_S3,
  azure: {
    answer: { status: 507, headers: { "x-ms-error-code": "InsufficientStorage" } },
    to: "PUT .*/",
    says: /'backups\/azure-full_v.*': account 'backupsoftests' has no space left: delete objects, or raise its quota/,
  },
  gcs: {
    answer: {
      status: 403,
      body: JSON.stringify({ error: { code: 403, message: "no room", errors: [{ reason: "quotaExceeded" }] } }),
    },
    to: "POST .*[?&]name=",
    says: /'backups\/gcs-full_v.*': a quota of bucket 'backups' is used up: delete objects, or raise the quota/,
  },
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

describe.each(CLOUDS)("%s is full", { timeout: 200_000 }, (cloud) => {
  test("says so and what to do, keeps what it has, and takes the next one when there is room", async () => {
    const { place, backups, store } = stores.cloud(cloud);
    const { answer, to, says } = FULL[cloud];
    const name = `${cloud}-full`;
    const witness = await cluster.witness({ name });
    await backups.create(name, "source", { policy: OFTEN });
    const first = await backups.succeeds(name);
    place.faults.answer({ ...answer, times: ALWAYS, only: new RegExp(`^${to}${name}_v`) });
    const status = await recovers(backups, name, { says, mend: () => place.faults.clear() });
    assert.notEqual(status.lastBackup?.path, first.lastBackup?.path);
    await backups.delete(name);
    const keys = (await storedBackups(store, name)).map(({ key }) => key);
    assert.ok(keys.includes(place.keyAt(first.lastBackup?.path ?? "")));
    assert.deepEqual(await place.unfinishedUploads(), []);
    await cluster.verify(witness);
  });
});
