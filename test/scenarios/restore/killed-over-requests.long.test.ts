import assert from "node:assert/strict";
import type { FaultyPlace } from "@etcd-operator/testing/scenario/backup/backup-places.ts";
import { faultyPlace } from "@etcd-operator/testing/scenario/backup/cloud-places.ts";
import { storedBackups } from "@etcd-operator/testing/scenario/backup/stored-backups.ts";
import { CLOUDS, StoresUnderTest } from "@etcd-operator/testing/scenario/backup/stores-under-test.ts";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import { fill } from "@etcd-operator/testing/scenario/data/fill.ts";
import { OperatorUnderFire } from "@etcd-operator/testing/scenario/operator/operator-under-fire.ts";
import { isRecreated, nothingIsLeft } from "@etcd-operator/testing/scenario/restore/restored.ts";
import { afterAll, beforeAll, describe, test } from "vitest";

/** More than one part in most stores. */
const FILLING_MIB = 9;

// That of a volume goes by way of a worker: operator-killed.long.test.ts has its steps.
const scenario = clusterScenario({ operator: false });
let stores: StoresUnderTest<FaultyPlace>;
let operator: OperatorUnderFire;

beforeAll(async () => {
  stores = await StoresUnderTest.withoutOperator(scenario, faultyPlace, CLOUDS);
  operator = await OperatorUnderFire.start(scenario, stores.env);
});
afterAll(async () => {
  await operator?.stop();
  await stores?.stop();
});

describe.each(CLOUDS)("an operator that is killed over every kind of request to %s", { timeout: 400_000 }, (cloud) => {
  test("takes a backup and restores it, and leaves nothing half done", async () => {
    const { place, backups, store } = stores.cloud(cloud);
    const name = `killed-${cloud}`;
    const cluster = await scenario.create(name, { size: 1 });
    const before = await cluster.settled(1);
    await fill(cluster, FILLING_MIB);
    const witness = await cluster.witness();
    await witness.writesAgain(50);
    place.faults.beforeAnswers((request) => operator.dies(kindOf(request), 1));

    operator.open();
    const { lastBackup, attempts } = await backups.taken(name, name);
    await operator.cease();
    tell(`${cloud}, a backup`);
    assert.equal(attempts, undefined, "to be killed is no failure");
    // Google's unfinished uploads cannot be listed by others; Google removes them itself.
    if (cloud !== "gcs") assert.deepEqual(await place.unfinishedUploads(), []);
    await witness.writesAgain();

    operator.open();
    await backups.restore(name, name);
    await backups.restoreBecomes(name, "to have saved what was there", ({ phase }) => phase === "Restoring");
    await witness.stop();
    const { snapshot, safetySnapshot } = await backups.restoreSucceeds(name);
    await operator.cease();
    tell(`${cloud}, a restore`);
    assert.equal(snapshot?.sha256, lastBackup?.sha256);
    await isRecreated(cluster);
    const after = await cluster.settled(1);
    assert.notEqual(after.status?.clusterID, before.status?.clusterID);
    witness.restoredTo(lastBackup?.revision ?? 0);
    await witness.check(await cluster.voters());
    // A safety snapshot has a key of its own each time: what a killed one had begun is left to the rules of the bucket.
    await nothingIsLeft(scenario, { unfinishedUploads: async () => [] });
    const found = (await storedBackups(store, name)).map(({ key }) => key);
    assert.ok([name, place.keyAt(safetySnapshot?.path ?? "")].every((key) => found.includes(key)));
    await cluster.delete();
  });
});

/** Without what differs from one time to the next. */
function kindOf(request: string): string {
  return decodeURIComponent(request)
    .replace(/killed-[a-z0-9]+/g, "KEY")
    .replace(/_safety_[0-9a-f]+(_[-\d:]+)?/g, "_safety")
    .replace(/(uploadId|upload_id|blockid|partNumber|timeout|marker|pageToken)=[^&]*/gi, "$1");
}

function tell(what: string): void {
  process.stdout.write(`  ${what}: killed ${operator.count} times\n${operator.describe()}\n`);
}
