import assert from "node:assert/strict";
import type { Stored } from "@etcd-operator/kubernetes-client";
import { RESTORE_UID_ANNOTATION } from "@etcd-operator/operator/api/restore-request.ts";
import type { FaultyPlace } from "@etcd-operator/testing/scenario/backup/backup-places.ts";
import { BackupsUnderTest } from "@etcd-operator/testing/scenario/backup/backups-under-test.ts";
import { faultyS3Place } from "@etcd-operator/testing/scenario/backup/cloud-places.ts";
import type { ClusterUnderTest } from "@etcd-operator/testing/scenario/cluster/cluster-under-test.ts";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import { deletePods } from "@etcd-operator/testing/scenario/faults/member-faults.ts";
import { isRecreated, nothingIsLeft } from "@etcd-operator/testing/scenario/restore/restored.ts";
import { staysSo } from "@etcd-operator/testing/scenario/stays-so.ts";
import { until } from "@etcd-operator/testing/until.ts";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { afterAll, afterEach, beforeAll, describe, test } from "vitest";

const scenario = clusterScenario();
let place: FaultyPlace;
let backups: BackupsUnderTest;

beforeAll(async () => {
  place = await faultyS3Place();
  backups = await BackupsUnderTest.at(scenario, place);
});
afterEach(() => place?.faults.clear());
afterAll(() => place?.stop());

/** A backup of an almost empty cluster takes some seconds then. */
const SLOW_BYTES_A_SECOND = 8_000;

interface Moment {
  readonly name: string;
  /** Whether the store is slow from the beginning. */
  readonly isSlow: boolean;
  readonly reach: (cluster: ClusterUnderTest, restore: string) => Promise<unknown>;
}

const inPhase = (phase: string) => (_: ClusterUnderTest, restore: string) =>
  backups.restoreBecomes(restore, `to be ${phase}`, (status) => status.phase === phase);
const inState = (state: string) => (cluster: ClusterUnderTest) =>
  cluster.becomes(`to be ${state}`, ({ status }) => status?.restore?.state === state);

async function receives(cluster: ClusterUnderTest): Promise<Stored<Pod>> {
  return until(
    async () => {
      const seed = (await cluster.pods()).find(({ metadata }) => metadata.annotations?.[RESTORE_UID_ANNOTATION]);
      const receive = seed?.status?.initContainerStatuses?.find(({ name }) => name === "receive");
      return receive?.state?.running && seed;
    },
    { what: `the first member of ${cluster.name} to wait for the snapshot`, timeoutMs: 60_000 },
  );
}

/** The store becomes slow only then: what is saved before is larger by far. */
async function isSent(cluster: ClusterUnderTest, restore: string): Promise<void> {
  await inPhase("Restoring")(cluster, restore);
  place.faults.slow(SLOW_BYTES_A_SECOND);
  await receives(cluster);
}

const MOMENTS: readonly Moment[] = [
  { name: "verifying", isSlow: true, reach: inPhase("Verifying") },
  { name: "saving", isSlow: true, reach: inPhase("Saving") },
  { name: "asking", isSlow: false, reach: inPhase("Restoring") },
  { name: "fencing", isSlow: false, reach: inState("Fencing") },
  { name: "making", isSlow: false, reach: inState("Restoring") },
  { name: "sending", isSlow: false, reach: isSent },
];

/** A cluster and a backup of it, both of the same name. */
async function aCluster(name: string, claims = false): Promise<ClusterUnderTest> {
  const cluster = await scenario.create(name, { claims, whenDeleted: "Delete" });
  await cluster.settled(3);
  await backups.taken(name, name);
  return cluster;
}

describe("an EtcdRestore that is deleted half-way", { timeout: 400_000 }, () => {
  test.each([{ claims: true }, { claims: false }])(
    "leaves everything as it was, whenever that is (claims: $claims)",
    async ({ claims }) => {
      const name = claims ? "called-off-claims" : "called-off";
      const cluster = await aCluster(name, claims);
      const { clusterID } = (await cluster.get()).status ?? {};
      const before = await cluster.memberIds();
      const witness = await cluster.witness();
      for (const { name: moment, isSlow, reach } of MOMENTS) {
        await witness.writesAgain();
        if (isSlow) place.faults.slow(SLOW_BYTES_A_SECOND);
        const restore = `${name}-${moment}`;
        await backups.restore(name, name, {}, restore);
        await reach(cluster, restore);
        await backups.deleteRestore(restore);
        place.faults.clear();
        const { status } = await cluster.settled(3);
        assert.equal(status?.clusterID, clusterID, moment);
        assert.deepEqual(await cluster.memberIds(), before, moment);
        if (claims) await cluster.hasClaimsOfMembersOnly();
        else assert.deepEqual(await cluster.claims(), []);
        await nothingIsLeft(scenario, place);
      }
      await cluster.verify(witness);
      await cluster.delete();
      await cluster.isGone();
    },
  );

  test("but does not delete a restored cluster that serves already", async () => {
    const cluster = await aCluster("too-late");
    const { clusterID } = (await cluster.get()).status ?? {};
    await cluster.put("late", "after the backup");
    await backups.restore("too-late", "too-late");
    await inState("Joining")(cluster);
    await backups.deleteRestore("too-late");
    await isRecreated(cluster);
    const { status } = await cluster.settled(3);
    assert.notEqual(status?.clusterID, clusterID);
    assert.equal(status?.restore?.state, "Done");
    assert.equal(await cluster.valueOf("late"), undefined);
    await nothingIsLeft(scenario, place);
    await cluster.delete();
  });
});

describe("while a cluster is being restored", { timeout: 400_000 }, () => {
  test("a pause holds it, before and after anything was touched", async () => {
    const cluster = await aCluster("paused", true);
    const pods = await cluster.podUids();
    await cluster.changeSpec({ paused: true });
    await backups.restore("paused", "paused");
    const isHeld = async () => {
      const { status } = await backups.getRestore("paused");
      return status?.conditions?.some(({ message = "" }) => /paused.*spec\.paused is false/.test(message));
    };
    await until(isHeld, { what: "the restore to say that it waits" });
    await staysSo(async () => assert.deepEqual(await cluster.podUids(), pods), { forMs: 5_000 });
    place.faults.slow(SLOW_BYTES_A_SECOND);
    await cluster.changeSpec({ paused: false });
    const seed = await receives(cluster);
    await cluster.changeSpec({ paused: true });
    place.faults.clear();
    await until(isHeld, { what: "the restore to say that it waits again" });
    await staysSo(async () => assert.deepEqual(await cluster.podUids(), [seed.metadata.uid]), { forMs: 5_000 });
    await cluster.changeSpec({ paused: false });
    await backups.restoreSucceeds("paused");
    await isRecreated(cluster);
    await cluster.settled(3);
    await nothingIsLeft(scenario, place);
    await cluster.delete();
  });

  test("another restore of it waits, and is not carried out over the first", async () => {
    const cluster = await aCluster("twice");
    const { incarnation = 0 } = (await cluster.get()).status ?? {};
    await backups.restore("twice", "twice", {}, "first");
    // Before that, of two that were made in the same second either may be taken for the older.
    await inPhase("Restoring")(cluster, "first");
    await backups.restore("twice", "twice", {}, "second");
    await backups.restoreSucceeds("first");
    assert.match(await backups.restoreFails("second"), /'first' has restored EtcdCluster 'twice'.*create another/);
    await isRecreated(cluster);
    const { status } = await cluster.settled(3);
    assert.equal(status?.incarnation, incarnation + 1);
    await nothingIsLeft(scenario, place);
    await cluster.delete();
  });

  test("it may be deleted, and takes all of it along", async () => {
    const cluster = await aCluster("deleted", true);
    place.faults.slow(SLOW_BYTES_A_SECOND);
    await backups.restore("deleted", "deleted");
    await receives(cluster);
    await cluster.delete();
    await cluster.isGone();
    assert.match(await backups.restoreFails("deleted"), /EtcdCluster 'deleted'.*deleted.*another EtcdRestore/);
    await nothingIsLeft(scenario, place);
  });

  test("the pod that the snapshot is sent to may go: it is sent to another", async () => {
    const cluster = await aCluster("interrupted", true);
    await cluster.put("late", "after the backup");
    place.faults.slow(SLOW_BYTES_A_SECOND);
    await backups.restore("interrupted", "interrupted");
    await deletePods(scenario, [await receives(cluster)], 0);
    place.faults.clear();
    await backups.restoreSucceeds("interrupted");
    await isRecreated(cluster);
    await cluster.settled(3);
    assert.equal(await cluster.valueOf("late"), undefined);
    await cluster.hasClaimsOfMembersOnly();
    await nothingIsLeft(scenario, place);
    await cluster.delete();
  });
});
