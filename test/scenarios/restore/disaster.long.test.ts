import assert from "node:assert/strict";
import { afterAll, beforeAll, describe, test } from "vitest";
import type { EtcdCluster } from "../../../src/api/etcd-cluster.ts";
import { resources } from "../../../src/kubernetes/resources.ts";
import { type BackupPlace, volumePlace } from "../../support/scenario/backup-places.ts";
import { BackupsUnderTest } from "../../support/scenario/backups-under-test.ts";
import { clusterScenario } from "../../support/scenario/cluster-scenario.ts";
import type { ClusterUnderTest } from "../../support/scenario/cluster-under-test.ts";
import { deletePods } from "../../support/scenario/member-faults.ts";
import { is } from "../../support/scenario/settled.ts";
import { staysSo } from "../../support/scenario/stays-so.ts";

const GRACE_SECONDS = 5;
const LONGER_THAN_GRACE_MS = 25_000;

const scenario = clusterScenario();
let place: BackupPlace;
let backups: BackupsUnderTest;

beforeAll(async () => {
  place = await volumePlace();
  backups = await BackupsUnderTest.at(scenario, place);
});
afterAll(() => place?.stop());

const recovery = (backupName: string) => ({
  recovery: { onQuorumLoss: "RestoreLatestBackup", backupName, graceSeconds: GRACE_SECONDS },
});
const isLost = (cluster: EtcdCluster) => is(cluster, "QuorumLost");

/** Waits until all members are there again, under another id. */
async function isRestored(cluster: ClusterUnderTest, clusterID: string | undefined): Promise<EtcdCluster> {
  await cluster.becomes("to be another", ({ status }) => status?.clusterID && status.clusterID !== clusterID);
  return cluster.settled(3);
}

describe("all members without volumes are lost", { timeout: 400_000 }, () => {
  test("and an EtcdRestore brings back all that was in the backup, under the same Service", async () => {
    const cluster = await scenario.create("all-lost");
    const before = await cluster.settled(3);
    const witness = await cluster.witness();
    await witness.writesAgain(50);
    await witness.stop();
    const { etcdRevision = 0 } = await backups.taken("all-lost", "all-lost");
    await cluster.put("late", "lost with the members");
    await deletePods(scenario, await cluster.pods(), 0);
    await cluster.becomes("to tell of it", isLost);
    await backups.restore("all-lost", "all-lost");
    const { snapshot, safetySnapshot } = await backups.restoreSucceeds("all-lost");
    assert.ok((snapshot?.revision ?? 0) >= etcdRevision);
    assert.equal(safetySnapshot, undefined, "nobody was left to save anything of");
    await isRestored(cluster, before.status?.clusterID);
    witness.followRestore();
    await witness.check(await cluster.voters());
    assert.equal(await cluster.valueOf("late"), undefined);
    assert.equal(await cluster.put("again", "written"), await cluster.revisionOf("again"));
  });

  test("and the policy does the same without a human, once", async () => {
    const { client } = scenario;
    const cluster = await scenario.create("by-policy");
    const before = await cluster.settled(3);
    await cluster.put("kept", "by the backup");
    await backups.create("by-policy", "by-policy", { policy: { backupIntervalInSecond: 3_600 } });
    await backups.succeeds("by-policy");
    await cluster.changeSpec(recovery("by-policy"));
    await deletePods(scenario, await cluster.pods(), 0);
    const after = await isRestored(cluster, before.status?.clusterID);
    assert.equal(await cluster.valueOf("kept"), "by the backup");
    assert.equal(after.status?.restore?.state, "Done");
    const { items } = await client.list(resources.etcdRestores, { namespace: "default" });
    const made = items.filter(({ spec }) => spec.etcdCluster.name === "by-policy");
    assert.deepEqual(
      made.map(({ metadata }) => metadata.name),
      [`by-policy-recovery-${before.status?.incarnation}`],
    );
    await backups.restoreSucceeds(made[0]?.metadata.name ?? "");
  });
});

describe("two of three are lost", { timeout: 400_000 }, () => {
  test("and the policy restores from the survivor, so that nothing is lost", async () => {
    const cluster = await scenario.create("survived");
    const before = await cluster.settled(3);
    await backups.create("survived", "survived", { policy: { backupIntervalInSecond: 3_600 } });
    await backups.succeeds("survived");
    const witness = await cluster.witness();
    await witness.writesAgain(50);
    await witness.stop();
    await cluster.changeSpec(recovery("survived"));
    const { leader, followers } = await cluster.roles();
    // Whoever follows may be a moment behind: nothing is written any more, so it catches up.
    await cluster.areInSync();
    await deletePods(scenario, [leader, ...followers.slice(1)], 0);
    await isRestored(cluster, before.status?.clusterID);
    witness.followRestore();
    await witness.check(await cluster.voters());
    const { safetySnapshot, snapshot } = await backups.restoreSucceeds(
      `survived-recovery-${before.status?.incarnation}`,
    );
    assert.equal(snapshot?.path, safetySnapshot?.path);
  });
});

describe("members that are only out of reach", { timeout: 400_000 }, () => {
  test("are waited for, whatever the policy says", async () => {
    const cluster = await scenario.create("unreachable");
    await backups.create("unreachable", "unreachable", { policy: { backupIntervalInSecond: 3_600 } });
    const before = await cluster.settled(3);
    await backups.succeeds("unreachable");
    await cluster.changeSpec(recovery("unreachable"));
    const witness = await cluster.witness();
    await witness.writesAgain(20);
    for (const pod of await cluster.pods()) await scenario.faults.isolate(pod.metadata.uid);
    await cluster.becomes("to tell of it", isLost);
    await staysSo(
      async () => {
        assert.equal((await cluster.get()).status?.restore, undefined);
        assert.equal((await cluster.pods()).length, 3);
      },
      { forMs: LONGER_THAN_GRACE_MS },
    );
    await scenario.faults.heal();
    await witness.writesAgain();
    const after = await cluster.settled(3);
    assert.equal(after.status?.clusterID, before.status?.clusterID);
    await cluster.verify(witness);
  });
});
