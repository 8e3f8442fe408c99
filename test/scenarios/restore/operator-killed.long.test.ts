import assert from "node:assert/strict";
import { afterAll, afterEach, beforeAll, beforeEach, describe, test } from "vitest";
import { restoreRequestOf } from "../../../src/api/restore-request.ts";
import { resources } from "../../../src/kubernetes/resources.ts";
import { until } from "../../support/kube/until.ts";
import {
  type BackupPlace,
  type FaultyPlace,
  faultyS3Place,
  volumePlace,
} from "../../support/scenario/backup-places.ts";
import { BackupsUnderTest } from "../../support/scenario/backups-under-test.ts";
import { clusterScenario } from "../../support/scenario/cluster-scenario.ts";
import type { ClusterUnderTest } from "../../support/scenario/cluster-under-test.ts";
import { OperatorUnderFire } from "../../support/scenario/operator-under-fire.ts";
import { RestoreWatch } from "../../support/scenario/restore-watch.ts";
import { storedBackups } from "../../support/scenario/stored-backups.ts";

const scenario = clusterScenario({ operator: false });
let s3: FaultyPlace;
let volume: BackupPlace;
let operator: OperatorUnderFire;

beforeAll(async () => {
  s3 = await faultyS3Place();
  volume = await volumePlace();
});
afterAll(async () => {
  await s3?.stop();
  await volume?.stop();
});
beforeEach(async () => {
  operator = await OperatorUnderFire.start(scenario);
});
afterEach(() => operator?.stop());

/** What a backup or a restore made for itself, and has to take away. */
async function leftovers(): Promise<readonly string[]> {
  const { client } = scenario;
  const inDefault = { namespace: "default" };
  const workers = await client.list(resources.pods, { ...inDefault, labelSelector: "app=etcd-store-worker" });
  const secrets = await client.list(resources.secrets, inDefault);
  const restores = await client.list(resources.etcdRestores, inDefault);
  const clusters = await client.list(resources.etcdClusters, inDefault);
  return [
    ...workers.items.map(({ metadata }) => `pod ${metadata.name}`),
    ...secrets.items.filter(({ metadata }) => metadata.name.endsWith("-transfer")).map((each) => each.metadata.name),
    ...restores.items
      .filter(({ metadata }) => metadata.finalizers?.length)
      .map((each) => `finalizer of ${each.metadata.name}`),
    ...clusters.items
      .filter(({ metadata }) => restoreRequestOf(metadata))
      .map((each) => `request on ${each.metadata.name}`),
    ...(await s3.unfinishedUploads()),
  ];
}

async function nothingIsLeft(): Promise<void> {
  let left: readonly string[] = [];
  const isNothing = async () => {
    left = await leftovers();
    return left.length === 0;
  };
  await until(isNothing, { what: "all that is not needed any more to go", timeoutMs: 90_000, everyMs: 200 }).catch(
    (error: Error) => {
      throw new Error(`${error.message}; left are: ${left.join(", ")}`);
    },
  );
}

/** The pod of the first member is replaced by one that has nothing to do with the restore. */
async function isRecreated(cluster: ClusterUnderTest): Promise<void> {
  const initContainers = async () => (await cluster.pods()).flatMap(({ spec }) => spec?.initContainers ?? []);
  const hasNone = async () => (await initContainers()).every(({ name }) => name === "guard");
  await until(hasNone, { what: `the first member of ${cluster.name} to be recreated`, timeoutMs: 120_000 });
}

function tell(what: string): void {
  process.stdout.write(`  ${what}: killed ${operator.count} times\n${operator.describe()}\n`);
}

describe("an operator that is killed after every write", { timeout: 400_000 }, () => {
  test.each([
    { claims: true, store: "volume" },
    { claims: false, store: "S3" },
  ])("takes a backup and restores it (claims: $claims, store: $store)", async ({ claims, store }) => {
    const place = store === "S3" ? s3 : volume;
    const backups = await BackupsUnderTest.at(scenario, place);
    const name = `killed-${store.toLowerCase()}`;
    const cluster = await scenario.create(name, { claims, whenDeleted: "Delete" });
    const before = await cluster.settled(3);
    const witness = await cluster.witness();
    await witness.writesAgain(50);
    await witness.stop();

    operator.open();
    const { lastBackup } = await backups.taken(name, name);
    await operator.cease();
    tell("a backup");
    await nothingIsLeft();
    await cluster.put("late", "after the backup");

    const watch = await RestoreWatch.start(scenario, cluster);
    operator.open();
    await backups.restore(name, name);
    const { snapshot, safetySnapshot } = await backups.restoreSucceeds(name);
    await isRecreated(cluster);
    await operator.cease();
    tell("a restore");
    const after = await cluster.settled(3);
    await watch.end();
    await nothingIsLeft();
    assert.equal(snapshot?.sha256, lastBackup?.sha256);
    assert.ok(safetySnapshot);
    assert.notEqual(after.status?.clusterID, before.status?.clusterID);
    witness.followRestore();
    await witness.check(await cluster.voters());
    assert.equal(await cluster.valueOf("late"), undefined);
    assert.equal((await cluster.claims()).length, claims ? 3 : 0);
    await holdsOnly(place, [name, place.keyAt(safetySnapshot.path)]);
    await cluster.delete();
    await cluster.isGone();
  });
});

/** Each is whole and described, and there is nothing else. */
async function holdsOnly(place: BackupPlace, keys: readonly string[]): Promise<void> {
  const store = await place.open?.();
  if (!store) return;
  const found = await storedBackups(store, "");
  assert.deepEqual(found.map(({ key }) => key).sort(), [...keys].sort());
  await store.close();
}
