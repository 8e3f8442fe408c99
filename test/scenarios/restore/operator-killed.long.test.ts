import assert from "node:assert/strict";
import type { BackupPlace, FaultyPlace } from "@etcd-operator/testing/scenario/backup/backup-places.ts";
import { BackupsUnderTest } from "@etcd-operator/testing/scenario/backup/backups-under-test.ts";
import { faultyS3Place } from "@etcd-operator/testing/scenario/backup/cloud-places.ts";
import { storedBackups } from "@etcd-operator/testing/scenario/backup/stored-backups.ts";
import { volumePlace } from "@etcd-operator/testing/scenario/backup/volume-place.ts";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import { OperatorUnderFire } from "@etcd-operator/testing/scenario/operator/operator-under-fire.ts";
import { RestoreWatch } from "@etcd-operator/testing/scenario/restore/restore-watch.ts";
import { isRecreated, nothingIsLeft } from "@etcd-operator/testing/scenario/restore/restored.ts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, test } from "vitest";

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

    operator.open();
    const { lastBackup } = await backups.taken(name, name);
    await operator.cease();
    tell("a backup");
    await nothingIsLeft(scenario, s3);
    await cluster.put("late", "after the backup");
    await witness.writesAgain();

    const watch = await RestoreWatch.start(scenario, cluster);
    operator.open();
    await backups.restore(name, name);
    await backups.restoreBecomes(name, "to have saved what was there", ({ phase }) => phase === "Restoring");
    await witness.stop();
    const { snapshot, safetySnapshot } = await backups.restoreSucceeds(name);
    await isRecreated(cluster);
    await operator.cease();
    tell("a restore");
    const after = await cluster.settled(3);
    await watch.end();
    await nothingIsLeft(scenario, s3);
    assert.equal(snapshot?.sha256, lastBackup?.sha256);
    assert.ok(safetySnapshot);
    assert.notEqual(after.status?.clusterID, before.status?.clusterID);
    witness.restoredTo(lastBackup?.revision ?? 0);
    await witness.check(await cluster.voters());
    assert.equal(await cluster.valueOf("late"), undefined);
    if (claims) await cluster.hasClaimsOfMembersOnly();
    else assert.deepEqual(await cluster.claims(), []);
    await holdsOnly(place, [name, place.keyAt(safetySnapshot.path)]);
    await cluster.delete();
    await cluster.isGone();
  });
});

/** Each is complete and has its metadata, and there is nothing else. */
async function holdsOnly(place: BackupPlace, keys: readonly string[]): Promise<void> {
  const store = await place.open?.();
  if (!store) return;
  const found = (await storedBackups(store, "")).map(({ key }) => key);
  // A restarted operator saves the answering members again, and overwrites nothing.
  const again = found.filter((key) => !keys.includes(key) && key.includes("_safety_"));
  assert.deepEqual(found.filter((key) => !again.includes(key)).sort(), [...keys].sort());
  await store.close();
}
