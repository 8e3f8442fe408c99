import assert from "node:assert/strict";
import type { EtcdCluster } from "@etcd-operator/operator/api/etcd-cluster.ts";
import { ownResources } from "@etcd-operator/operator/objects/own-resources.ts";
import type { BackupPlace } from "@etcd-operator/testing/scenario/backup/backup-places.ts";
import { BackupsUnderTest } from "@etcd-operator/testing/scenario/backup/backups-under-test.ts";
import { volumePlace } from "@etcd-operator/testing/scenario/backup/volume-place.ts";
import type { ClusterUnderTest } from "@etcd-operator/testing/scenario/cluster/cluster-under-test.ts";
import { is } from "@etcd-operator/testing/scenario/cluster/settled.ts";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import type { Witness } from "@etcd-operator/testing/scenario/data/witness.ts";
import { deletePods } from "@etcd-operator/testing/scenario/faults/member-faults.ts";
import { staysSo } from "@etcd-operator/testing/scenario/stays-so.ts";
import { afterAll, beforeAll, describe, test } from "vitest";

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

/** What was acknowledged up to the backup is there, and nothing else; others write to it already. */
async function keepsWhatWasSaved(cluster: ClusterUnderTest, before: Witness, revision: number): Promise<void> {
  const { kept, undone } = before.restoredTo(revision);
  process.stdout.write(`  ${cluster.name}: revision ${revision}: ${kept} writes kept, ${undone} came after it\n`);
  assert.ok(kept > 0 && undone > 0, "it was written to before the backup, and after it");
  await before.check(await cluster.voters());
}

describe("all members without volumes are lost while they are written to", { timeout: 400_000 }, () => {
  test("and an EtcdRestore brings back all that was in the backup, under the same Service", async () => {
    const cluster = await scenario.create("all-lost");
    const before = await cluster.settled(3);
    const witness = await cluster.witness();
    await witness.writesAgain(50);
    const { etcdRevision = 0 } = await backups.taken("all-lost", "all-lost");
    await witness.writesAgain(50);
    await deletePods(scenario, await cluster.pods(), 0);
    await witness.stop();
    const after = await cluster.witness({ name: "after" });
    await cluster.becomes("to tell of it", isLost);
    await backups.restore("all-lost", "all-lost");
    const { snapshot, safetySnapshot } = await backups.restoreSucceeds("all-lost");
    assert.equal(snapshot?.revision, etcdRevision);
    assert.equal(safetySnapshot, undefined, "no member was left to take a safety snapshot of");
    await isRestored(cluster, before.status?.clusterID);
    await after.writesAgain(50);
    await keepsWhatWasSaved(cluster, witness, etcdRevision);
    await cluster.verify(after);
  });

  test("and the policy does the same without a person, once", async () => {
    const { client } = scenario;
    const cluster = await scenario.create("by-policy");
    const before = await cluster.settled(3);
    const witness = await cluster.witness();
    await witness.writesAgain(50);
    await backups.create("by-policy", "by-policy", { policy: { backupIntervalInSecond: 3_600 } });
    const { etcdRevision = 0 } = await backups.succeeds("by-policy");
    await cluster.changeSpec(recovery("by-policy"));
    await witness.writesAgain(50);
    await deletePods(scenario, await cluster.pods(), 0);
    await witness.stop();
    const writer = await cluster.witness({ name: "after" });
    const after = await isRestored(cluster, before.status?.clusterID);
    await writer.writesAgain(50);
    await keepsWhatWasSaved(cluster, witness, etcdRevision);
    assert.equal(after.status?.restore?.state, "Done");
    const { items } = await client.list(ownResources.etcdRestores, { namespace: "default" });
    const made = items.filter(({ spec }) => spec.etcdCluster.name === "by-policy");
    assert.deepEqual(
      made.map(({ metadata }) => metadata.name),
      [`by-policy-recovery-${before.status?.incarnation}`],
    );
    await backups.restoreSucceeds(made[0]?.metadata.name ?? "");
    await cluster.verify(writer);
  });
});

describe("two of three are lost", { timeout: 400_000 }, () => {
  /** Waits until the policy has restored it, and throws unless that was from the survivor. */
  async function isRestoredFromSurvivor(cluster: ClusterUnderTest, { status }: EtcdCluster): Promise<void> {
    await isRestored(cluster, status?.clusterID);
    const { safetySnapshot, snapshot } = await backups.restoreSucceeds(
      `${cluster.name}-recovery-${status?.incarnation}`,
    );
    assert.equal(snapshot?.path, safetySnapshot?.path);
  }

  // A follower may lack what was acknowledged a moment ago; a leader never does.
  test.each(["leader", "follower"] as const)(
    "and the policy restores from the survivor, a %s: nothing is lost",
    async (role) => {
      const name = `survived-by-${role}`;
      const cluster = await scenario.create(name);
      const before = await cluster.settled(3);
      await backups.create(name, name, { policy: { backupIntervalInSecond: 3_600 } });
      await backups.succeeds(name);
      await cluster.changeSpec(recovery(name));
      const witness = await cluster.witness();
      await witness.writesAgain(50);
      const { leader, followers } = await cluster.roles();
      if (role === "follower") {
        await witness.stop();
        await cluster.areInSync();
      }
      await deletePods(scenario, role === "leader" ? followers : [leader, ...followers.slice(1)], 0);
      await witness.stop();
      await isRestoredFromSurvivor(cluster, before);
      process.stdout.write(`  ${witness.describe()}\n`);
      witness.followRestore();
      await witness.check(await cluster.voters());
    },
  );
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
