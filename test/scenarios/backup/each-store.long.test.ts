import assert from "node:assert/strict";
import type { EtcdBackup } from "@etcd-operator/operator/api/etcd-backup.ts";
import type { CloudPlace } from "@etcd-operator/testing/scenario/backup/backup-places.ts";
import { cloudPlace } from "@etcd-operator/testing/scenario/backup/cloud-places.ts";
import { storedBackups } from "@etcd-operator/testing/scenario/backup/stored-backups.ts";
import { STORES, type Store, StoresUnderTest } from "@etcd-operator/testing/scenario/backup/stores-under-test.ts";
import type { ClusterUnderTest } from "@etcd-operator/testing/scenario/cluster/cluster-under-test.ts";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import { holdsWhatWas } from "@etcd-operator/testing/scenario/data/same-keys.ts";
import { afterAll, beforeAll, describe, test } from "vitest";

type Status = NonNullable<EtcdBackup["status"]>;

const INTERVAL_S = 10;
const EVERY_MINUTE = "* * * * *";

const scenario = clusterScenario({ operator: false });
const newest = new Map<Store, Status>();
let stores: StoresUnderTest<CloudPlace>;
let source: ClusterUnderTest;

beforeAll(async () => {
  stores = await StoresUnderTest.start(scenario, cloudPlace);
  source = await scenario.create("source");
  await source.settled(3);
});
afterAll(() => stores?.stop());

const placeOf = (kind: Store) => stores.of(kind).place;
const backupsOf = (kind: Store) => stores.of(kind).backups;

describe("a cluster that is being written to", { timeout: 300_000 }, () => {
  test("is saved once, at an interval and by a schedule, in every store at the same time", async () => {
    const witness = await source.witness();
    await witness.writesAgain(50);
    for (const kind of STORES) {
      const backups = backupsOf(kind);
      await backups.create(`${kind}-once`, "source");
      await backups.create(`${kind}-interval`, "source", { policy: { backupIntervalInSecond: INTERVAL_S } });
      await backups.create(`${kind}-cron`, "source", { policy: { schedule: EVERY_MINUTE } });
    }
    await Promise.all(STORES.flatMap((kind) => [isTakenOnce(kind), isTakenAgain(kind), followsSchedule(kind)]));
    await source.verify(witness);
  });

  test.each(STORES)("and in %s there is nothing that is not whole and described", async (kind) => {
    for (const name of [`${kind}-interval`, `${kind}-cron`]) {
      // What is canceled half-way may leave an object that was not verified.
      await backupsOf(kind).becomes(name, "to rest", ({ progress }) => !progress);
      await backupsOf(kind).delete(name);
    }
    const found = await storedBackups(stores.of(kind).store, "");
    const revisions = found.map(({ metadata }) => metadata.revision);
    process.stdout.write(`  ${kind}: ${found.length} backups, of revisions ${revisions.join(", ")}\n`);
    assert.ok(found.length >= 6, "one, three of the interval, two of the schedule");
    assert.deepEqual(await placeOf(kind).unfinishedUploads(), []);
  });
});

describe.each(STORES)("a backup in %s", { timeout: 200_000 }, (kind) => {
  test("is restored into a new cluster, which holds what there was at its revision", async () => {
    const backups = backupsOf(kind);
    const { lastBackup } = newest.get(kind) as Status;
    const name = `restored-${kind}`;
    const started = performance.now();
    await backups.restore(name, placeOf(kind).keyAt(lastBackup?.path ?? ""), {
      clusterTemplate: { spec: { size: 1, version: "3.5.16" } } as never,
    });
    const { snapshot } = await backups.restoreSucceeds(name);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    assert.equal(snapshot?.revision, lastBackup?.revision);
    const cluster = scenario.cluster(name);
    await cluster.settled(1);
    const keys = await holdsWhatWas(cluster, source, lastBackup?.revision ?? 0);
    process.stdout.write(`  ${kind}: revision ${lastBackup?.revision} with ${keys} keys restored in ${seconds} s\n`);
    await cluster.delete();
  });
});

async function isTakenOnce(kind: Store): Promise<void> {
  const { lastBackup, etcdRevision, nextRun } = await backupsOf(kind).succeeds(`${kind}-once`);
  assert.equal(placeOf(kind).keyAt(lastBackup?.path ?? ""), `${kind}-once`);
  assert.deepEqual([etcdRevision, nextRun], [lastBackup?.revision, undefined]);
}

/** Three runs, each of a newer revision, at the distance that was asked for. */
async function isTakenAgain(kind: Store): Promise<void> {
  const name = `${kind}-interval`;
  const runs: Status[] = [await backupsOf(kind).succeeds(name)];
  while (runs.length < 3) {
    const before = runs.at(-1)?.lastBackup?.path;
    const hasAnother = ({ succeeded, lastBackup }: Status) => succeeded && lastBackup?.path !== before;
    runs.push(await backupsOf(kind).becomes(name, "to be taken again", hasAnother));
  }
  const revisions = runs.map(({ etcdRevision = 0 }) => etcdRevision);
  const distances = runs.map(({ lastRun = "", nextRun = "" }) => (Date.parse(nextRun) - Date.parse(lastRun)) / 1000);
  process.stdout.write(`  ${name}: revisions ${revisions.join(", ")}\n`);
  assert.deepEqual(
    [...new Set(revisions)].sort((a, b) => a - b),
    revisions,
  );
  assert.deepEqual(distances, [INTERVAL_S, INTERVAL_S, INTERVAL_S]);
  newest.set(kind, runs.at(-1) ?? {});
}

/** The first at once, the next with the minute. */
async function followsSchedule(kind: Store): Promise<void> {
  const name = `${kind}-cron`;
  const { lastBackup } = await backupsOf(kind).succeeds(name);
  const isDone = (status: Status) => status.succeeded && status.lastBackup?.path !== lastBackup?.path;
  const next = await backupsOf(kind).becomes(name, "to be taken with the minute", isDone);
  const [due, after] = [Date.parse(next.lastRun ?? ""), Date.parse(next.nextRun ?? "")];
  const late = (Date.parse(next.lastSuccessDate ?? "") - due) / 1000;
  process.stdout.write(`  ${name}: verified ${late} s after the minute\n`);
  assert.deepEqual([due % 60_000, after - due], [0, 60_000]);
}
