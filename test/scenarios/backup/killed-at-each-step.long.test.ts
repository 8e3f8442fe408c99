import assert from "node:assert/strict";
import type { ObjectStore } from "@etcd-operator/object-store";
import { obstacleTo, versitygw } from "@etcd-operator/testing/objectstore/go-program.ts";
import { BackupsUnderTest } from "@etcd-operator/testing/scenario/backup/backups-under-test.ts";
import { type FaultyS3Place, faultyS3Place } from "@etcd-operator/testing/scenario/backup/cloud-places.ts";
import { keysIn, storedBackups } from "@etcd-operator/testing/scenario/backup/stored-backups.ts";
import type { ClusterUnderTest } from "@etcd-operator/testing/scenario/cluster/cluster-under-test.ts";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import { fill } from "@etcd-operator/testing/scenario/data/fill.ts";
import type { Witness } from "@etcd-operator/testing/scenario/data/witness.ts";
import type { OperatorProcess } from "@etcd-operator/testing/scenario/operator/operator-process.ts";
import { titleWith } from "@etcd-operator/testing/skipped.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { afterAll, beforeAll, describe, test } from "vitest";

const FILLING_MIB = 20;
const HOURLY = { backupIntervalInSecond: 3_600, maxBackups: 1 };

/**
 * What a backup asks of its store, one after the other. Each is left without an answer once, and the operator is killed
 * over it.
 */
const STEPS: Readonly<Record<string, string>> = {
  "looks whether the store is there": "HEAD /backups/KEY",
  "begins the upload": "POST /backups/KEY.*\\?uploads",
  "sends the first part": "PUT /backups/KEY.*partNumber=1&",
  "sends the last part": "PUT /backups/KEY.*partNumber=3&",
  "ends the upload": "POST /backups/KEY.*\\?uploadId=",
  "reads back what was stored": "GET /backups/KEY",
  "writes the metadata": "PUT /backups/KEY.*metadata\\.json",
};

const obstacle = await obstacleTo(versitygw);
const scenario = clusterScenario({ operator: false, keepsWitnesses: true });
let operator: OperatorProcess;
let place: FaultyS3Place;
let store: ObjectStore;
let backups: BackupsUnderTest;
let cluster: ClusterUnderTest;
let witness: Witness;

describe.skipIf(obstacle)(titleWith("an operator that is killed while it", obstacle), { timeout: 120_000 }, () => {
  beforeAll(async () => {
    place = await faultyS3Place();
    store = await place.open();
    backups = await BackupsUnderTest.at(scenario, place);
    operator = await scenario.startOperator();
    cluster = await scenario.create("source", { size: 1 });
    await cluster.settled(1);
    await fill(cluster, FILLING_MIB);
    witness = await cluster.witness();
  });
  afterAll(async () => {
    await store?.close();
    await place?.stop();
  });

  test.each(Object.entries(STEPS))("%s takes the backup again, and nothing else is in sight", async (what, request) => {
    const [once, often] = ["once", "often"].map((rhythm) => `${rhythm}-${what.replaceAll(" ", "-")}`) as [
      string,
      string,
    ];
    const started = performance.now();
    await killedOver([once, often], request, async () => {
      await backups.create(once, "source");
      await backups.create(often, "source", { policy: HOURLY });
    });
    const found = await Promise.all([once, often].map((name) => verified(name)));
    process.stdout.write(`  ${what}: ${((performance.now() - started) / 1000).toFixed(1)} s\n`);
    assert.deepEqual([found[0], found[1]?.length], [[once], 1]);
    // What a periodic one had begun lies under a key of its own, and is left to the rules of the bucket.
    const uploads = (await place.uploads()).filter((key) => !key.startsWith("often-"));
    assert.deepEqual(uploads, []);
  });

  test("removes old backups removes the rest", async () => {
    const often = { backupIntervalInSecond: 2 };
    await backups.create("pruned", "source", { policy: often });
    await until(async () => (await keysIn(store, "pruned")).length >= 6, { what: "three backups", timeoutMs: 60_000 });
    await killedOver(["pruned"], "DELETE /backups/KEY.*", () =>
      backups.edit("pruned", { backupPolicy: { ...often, maxBackups: 1 } }),
    );
    const isPruned = async () => (await keysIn(store, "pruned")).length <= 2;
    await until(isPruned, { what: "one to be left", timeoutMs: 60_000 });
  });

  test("loses nothing that was written to the cluster meanwhile", () => cluster.verify(witness));
});

/** Kills the operator as soon as such a request is on its way for each of these backups, and starts it again. */
async function killedOver(names: readonly string[], request: string, begin: () => Promise<unknown>): Promise<void> {
  const awaited = names.map((name) => new RegExp(`^${request.replace("KEY", name)}`));
  place.faults.clear();
  for (const only of awaited) place.faults.stallResponses({ afterBytes: 0, times: 1, only });
  await begin();
  const isAsked = () => awaited.every((only) => place.faults.requests.some((each) => only.test(each)));
  await until(isAsked, { what: `${awaited.join(" and ")} to be asked`, timeoutMs: 60_000, everyMs: 5 });
  await operator.kill();
  place.faults.clear();
  await operator.start();
}

/** The keys of all objects at the end, which are complete and have their metadata. */
async function verified(name: string): Promise<readonly string[]> {
  const { lastBackup, attempts } = await backups.succeeds(name);
  assert.equal(attempts, undefined, "to be killed is no failure");
  const keys = (await storedBackups(store, name)).map(({ key }) => key);
  assert.ok(keys.includes(place.keyAt(lastBackup?.path ?? "")));
  return keys;
}
