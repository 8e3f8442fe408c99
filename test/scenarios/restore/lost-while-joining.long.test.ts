import assert from "node:assert/strict";
import { hasCode, resources } from "@etcd-operator/kubernetes-client";
import type { CloudPlace } from "@etcd-operator/testing/scenario/backup/backup-places.ts";
import { BackupsUnderTest } from "@etcd-operator/testing/scenario/backup/backups-under-test.ts";
import { cloudPlace } from "@etcd-operator/testing/scenario/backup/cloud-places.ts";
import type { ClusterUnderTest } from "@etcd-operator/testing/scenario/cluster/cluster-under-test.ts";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import { deletePods } from "@etcd-operator/testing/scenario/faults/member-faults.ts";
import { isRecreated, nothingIsLeft } from "@etcd-operator/testing/scenario/restore/restored.ts";
import { afterAll, beforeAll, describe, test } from "vitest";

const scenario = clusterScenario();
let place: CloudPlace;
let backups: BackupsUnderTest;

beforeAll(async () => {
  place = await cloudPlace("s3");
  backups = await BackupsUnderTest.at(scenario, place);
});
afterAll(() => place?.stop());

/** All pods that the restore has made, and their claims: no member has the restored data then. */
async function loseRestored(cluster: ClusterUnderTest, before: readonly string[]): Promise<void> {
  const pods = (await cluster.pods()).filter(({ metadata }) => !before.includes(metadata.uid));
  assert.ok(pods.length > 0, "the restore had made no pod yet");
  for (const { metadata } of pods) {
    await scenario.client.delete(resources.persistentVolumeClaims, metadata).catch((error: unknown) => {
      if (!hasCode(error, "not-found")) throw error;
    });
  }
  await deletePods(scenario, pods, 0);
}

describe("a restored cluster that loses its data before all members have joined", { timeout: 400_000 }, () => {
  test.each([
    { data: "in the pods", claims: false },
    { data: "on claims", claims: true },
  ])("says so, and another EtcdRestore brings back what was saved (data $data)", async ({ claims }) => {
    const name = claims ? "lost-claims" : "lost";
    const cluster = await scenario.create(name, { claims, whenDeleted: "Delete" });
    await cluster.settled(3);
    await cluster.put("early", "before the backup");
    await backups.taken(name, name);
    await cluster.put("late", "after the backup");
    const before = await cluster.podUids();
    const old = (await cluster.claims()).map(({ metadata }) => metadata.uid);
    await backups.restore(name, name, {}, `${name}-first`);
    await cluster.becomes(
      "to have the restored member on record",
      ({ status }) => status?.restore?.state === "Joining",
    );
    await loseRestored(cluster, before);

    const reason = await backups.restoreFails(`${name}-first`);
    process.stdout.write(`  ${reason}\n`);
    const { status: { safetySnapshot } = {} } = await backups.getRestore(`${name}-first`);
    assert.ok(safetySnapshot);
    assert.match(reason, /lost its majority before all members had joined the restored one/);
    assert.ok(reason.includes(`create another one from '${safetySnapshot.path}'`), reason);

    await backups.deleteRestore(`${name}-first`);
    await backups.restore(name, place.keyAt(safetySnapshot.path), {}, `${name}-second`);
    await backups.restoreSucceeds(`${name}-second`);
    await isRecreated(cluster);
    await cluster.settled(3);
    assert.equal(await cluster.valueOf("early"), "before the backup");
    assert.equal(await cluster.valueOf("late"), "after the backup");
    // Nothing could be saved of the cluster in between; only the user may delete what is left of the previous cluster.
    const kept = (await cluster.claims()).map(({ metadata }) => metadata.uid);
    assert.equal(old.length, claims ? 3 : 0);
    assert.ok(old.every((uid) => kept.includes(uid)));
    await nothingIsLeft(scenario, place);
    await cluster.delete();
    await cluster.isGone();
  });
});
