import assert from "node:assert/strict";
import { ownResources } from "@etcd-operator/operator/objects/own-resources.ts";
import type { BackupPlace } from "@etcd-operator/testing/scenario/backup/backup-places.ts";
import { BackupsUnderTest } from "@etcd-operator/testing/scenario/backup/backups-under-test.ts";
import { volumePlace } from "@etcd-operator/testing/scenario/backup/volume-place.ts";
import { aManifest } from "@etcd-operator/testing/scenario/cluster/a-manifest.ts";
import { Certificates } from "@etcd-operator/testing/scenario/cluster/certificates.ts";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import { isRecreated } from "@etcd-operator/testing/scenario/restore/restored.ts";
import { afterAll, beforeAll, describe, test } from "vitest";

const scenario = clusterScenario();
let place: BackupPlace;
let backups: BackupsUnderTest;

beforeAll(async () => {
  place = await volumePlace();
  backups = await BackupsUnderTest.at(scenario, place);
});
afterAll(() => place?.stop());

const SETUPS = [
  { version: "3.3.25", claims: false, isTls: false },
  { version: "3.4.23", claims: true, isTls: true },
  { version: "3.5.16", claims: true, isTls: false },
  { version: "3.5.35", claims: false, isTls: true },
  { version: "3.6.16", claims: true, isTls: true },
  { version: "3.7.3", claims: false, isTls: false },
];

describe("a cluster that runs is restored in place", { timeout: 400_000 }, () => {
  test.each(SETUPS)("$version (claims: $claims, TLS: $isTls)", async ({ version, claims, isTls }) => {
    const name = `over-${version.replaceAll(".", "-")}`;
    const certificates = isTls ? await Certificates.create(scenario.local, name) : undefined;
    const cluster = await scenario.create(name, { version, claims, isTls, whenDeleted: "Delete" });
    await certificates?.give(cluster);
    const before = await cluster.settled(3);
    const old = (await cluster.claims()).map(({ metadata }) => metadata.uid);
    const witness = await cluster.witness();
    await witness.writesAgain(50);
    const { lastBackup } = await backups.taken(name, name);
    await cluster.put("late", "after the backup");
    await witness.writesAgain();

    await backups.restore(name, name);
    await backups.restoreBecomes(name, "to have saved what was there", ({ phase }) => phase === "Restoring");
    await witness.stop();
    const { snapshot, safetySnapshot } = await backups.restoreSucceeds(name);
    assert.equal(snapshot?.sha256, lastBackup?.sha256);
    await isRecreated(cluster);
    const after = await cluster.settled(3);
    assert.notEqual(after.status?.clusterID, before.status?.clusterID);
    assert.equal(after.status?.incarnation, (before.status?.incarnation ?? 0) + 1);
    const { kept, undone } = witness.restoredTo(lastBackup?.revision ?? 0);
    process.stdout.write(`  ${name}: ${kept} writes kept, ${undone} came after the backup\n`);
    await witness.check(await cluster.voters());
    assert.equal(await cluster.valueOf("late"), undefined);
    const claimsNow = await cluster.claims();
    assert.equal(claimsNow.length, claims ? 3 : 0);
    assert.ok(!claimsNow.some(({ metadata }) => old.includes(metadata.uid)));

    // The data before the restore was saved, and can be restored.
    await backups.restore(name, safetySnapshot?.path ?? "", {}, `${name}-undone`);
    await backups.restoreSucceeds(`${name}-undone`);
    await isRecreated(cluster);
    await cluster.settled(3);
    assert.equal(await cluster.valueOf("late"), "after the backup");
    await cluster.delete();
    await cluster.isGone();
  });
});

describe("a backup of the minor before", { timeout: 400_000 }, () => {
  test.each([
    ["3.3.25", "3.4.23"],
    ["3.4.23", "3.5.35"],
    ["3.5.35", "3.6.16"],
    ["3.6.16", "3.7.3"],
  ])("%s makes a new cluster of %s", async (from, to) => {
    const name = `from-${from.replaceAll(".", "-")}`;
    const source = await scenario.create(name, { version: from, size: 1 });
    await source.settled(1);
    const revision = await source.put("hello", "world");
    await backups.taken(name, name);
    await source.delete();
    const { spec } = aManifest(`${name}-new`, { version: `v${to}` });
    await backups.restore(`${name}-new`, name, { clusterTemplate: { spec } } as object);
    await backups.restoreSucceeds(`${name}-new`);
    const restored = scenario.cluster(`${name}-new`);
    await restored.settled(3);
    assert.equal(await restored.valueOf("hello"), "world");
    assert.equal(await restored.revisionOf("hello"), revision);
    assert.ok((await restored.put("hello", "again")) > revision);
    await restored.delete();
    await restored.isGone();
  });

  test("is refused the other way round, and by two minors, before anything is touched", async () => {
    const cluster = await scenario.create("too-new", { version: "3.6.16", size: 1 });
    await cluster.settled(1);
    await backups.taken("too-new", "too-new");
    await cluster.delete();
    const { spec } = aManifest("older", { version: "3.5.35" });
    await backups.restore("older", "too-new", { clusterTemplate: { spec } } as object);
    assert.match(await backups.restoreFails("older"), /too-new.*3\.6.*3\.5/);
    await assert.rejects(scenario.client.get(ownResources.etcdClusters, { namespace: "default", name: "older" }), {
      code: "not-found",
    });
  });
});
