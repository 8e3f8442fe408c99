import assert from "node:assert/strict";
import { eachAtOnce } from "@etcd-operator/operator/transfer/snapshot/each-at-once.ts";
import type { FaultyPlace } from "@etcd-operator/testing/scenario/backup/backup-places.ts";
import { faultyPlace } from "@etcd-operator/testing/scenario/backup/cloud-places.ts";
import { storedBackups } from "@etcd-operator/testing/scenario/backup/stored-backups.ts";
import {
  CLOUDS,
  STORES,
  type Store,
  StoresUnderTest,
} from "@etcd-operator/testing/scenario/backup/stores-under-test.ts";
import { uploadCut } from "@etcd-operator/testing/scenario/backup/upload-cuts.ts";
import { watchWhole } from "@etcd-operator/testing/scenario/backup/whole-objects.ts";
import type { ClusterUnderTest } from "@etcd-operator/testing/scenario/cluster/cluster-under-test.ts";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import { fill } from "@etcd-operator/testing/scenario/data/fill.ts";
import type { Witness } from "@etcd-operator/testing/scenario/data/witness.ts";
import { frozenWorker } from "@etcd-operator/testing/scenario/faults/volume-faults.ts";
import { afterAll, beforeAll, describe, test } from "vitest";
import { randomOf } from "../../model/random.ts";

const SEED = Number(process.env.SEED ?? 20_261_115);
const POINTS = 20;
/** More than one part in most stores. */
const FILLING_MIB = 10;
const FILLING_BYTES = FILLING_MIB * 2 ** 20;
/** After so many failures in a row a store's client stops, and the backup is started again later. */
const TOO_OFTEN = 5;

const scenario = clusterScenario({ operator: false, keepsWitnesses: true });
let stores: StoresUnderTest<FaultyPlace>;
let cluster: ClusterUnderTest;
let witness: Witness;
let missed = 0;

beforeAll(async () => {
  stores = await StoresUnderTest.start(scenario, faultyPlace);
  cluster = await scenario.create("source");
  await cluster.settled(3);
  await fill(cluster, FILLING_MIB);
  witness = await cluster.witness();
});
afterAll(() => stores?.stop());

describe(`an upload that is cut at ${POINTS} points (seed ${SEED})`, { timeout: 500_000 }, () => {
  test.concurrent.each(CLOUDS)("to %s succeeds in the end, and is never seen half-written", async (cloud) => {
    const random = randomOf(SEED + STORES.indexOf(cloud));
    const { faults } = stores.cloud(cloud).place;
    for (let index = 0; index < POINTS; index += 1) {
      const name = `${cloud}-cut-${index}`;
      const { what, only, afterBytes } = uploadCut(cloud, name, FILLING_BYTES, random);
      const times = isWorst(index) ? TOO_OFTEN : 1;
      faults.clear();
      if (what === "body") faults.cutRequests({ afterBytes, times, only });
      else faults.cutResponses({ afterBytes, times, only });
      await survives(cloud, name, `${what} of ${only.source} after ${afterBytes} bytes, ${times} times`);
      assert.ok(faults.met() > 0, `${name} was cut`);
    }
    await allAreWhole(cloud);
  });

  test.concurrent("to a volume succeeds in the end, and is never seen half-written", async () => {
    const random = randomOf(SEED + STORES.length);
    const points = Array.from({ length: POINTS }, (_, index) => ({ index, afterBytes: random.int(FILLING_BYTES) }));
    // What is begun again waits before that, so several wait together.
    await eachAtOnce(points, 4, async ({ index, afterBytes }) => {
      const owner = `volume-cut-${index}`;
      const cut = async () => {
        const worker = await frozenWorker(scenario, { owner, afterBytes });
        if (isWorst(index)) worker?.kill();
        else await worker?.cut();
        missed += worker ? 0 : 1;
      };
      await survives("volume", owner, `after ${afterBytes} bytes${isWorst(index) ? ", with its worker" : ""}`, cut);
    });
    assert.ok(missed <= POINTS / 10, `${missed} were whole before they could be cut`);
    // What a worker leaves that was killed is removed by one that comes an hour later.
    await allAreWhole("volume", { mayLeave: 2 });
  });

  test("loses nothing that was written to the cluster meanwhile", () => cluster.verify(witness));
});

/** Every tenth breaks too often for one attempt. */
function isWorst(index: number): boolean {
  return index % 10 === 4;
}

async function survives(kind: Store, name: string, where: string, cut?: () => Promise<void>): Promise<void> {
  const { backups, store } = stores.of(kind);
  const started = performance.now();
  const seen = watchWhole(store, name);
  const { revision } = await newest();
  await backups.create(name, "source");
  await cut?.();
  const { lastBackup } = await backups.succeeds(name);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  process.stdout.write(`  ${name}: ${where}: verified after ${seconds} s\n`);
  assert.deepEqual(await seen.stop(), [], `only whole objects are ever seen of ${name}`);
  assert.ok((lastBackup?.revision ?? 0) >= revision, `${name} holds what had been written before it`);
}

async function newest(): Promise<{ revision: number }> {
  const revisions = (await cluster.answers()).map(({ status }) => Number(status.revision));
  return { revision: Math.min(...revisions) };
}

async function allAreWhole(kind: Store, { mayLeave = 0 } = {}): Promise<void> {
  const { place, store } = stores.of(kind);
  assert.equal((await storedBackups(store, `${kind}-cut-`)).length, POINTS);
  const left = await place.unfinishedUploads();
  assert.ok(left.length <= mayLeave, `left of uploads that broke: ${left.join(", ")}`);
}
