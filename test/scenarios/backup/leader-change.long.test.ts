import assert from "node:assert/strict";
import { resources } from "@etcd-operator/kubernetes-client";
import type { FaultyPlace } from "@etcd-operator/testing/scenario/backup/backup-places.ts";
import { faultyPlace } from "@etcd-operator/testing/scenario/backup/cloud-places.ts";
import { storedBackups } from "@etcd-operator/testing/scenario/backup/stored-backups.ts";
import { STORES, type Store, StoresUnderTest } from "@etcd-operator/testing/scenario/backup/stores-under-test.ts";
import type { ClusterUnderTest } from "@etcd-operator/testing/scenario/cluster/cluster-under-test.ts";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import { fill } from "@etcd-operator/testing/scenario/data/fill.ts";
import { sentBytes, streamingMember } from "@etcd-operator/testing/scenario/faults/streaming-member.ts";
import { frozenWorker } from "@etcd-operator/testing/scenario/faults/volume-faults.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { afterAll, beforeAll, describe, test } from "vitest";

const MIB = 2 ** 20;
/** More than lies in memory on its way. */
const FILLING_MIB = 64;

const scenario = clusterScenario({ operator: false });
let stores: StoresUnderTest<FaultyPlace>;
let cluster: ClusterUnderTest;

beforeAll(async () => {
  stores = await StoresUnderTest.start(scenario, faultyPlace);
  cluster = await scenario.create("source");
  await cluster.settled(3);
  await fill(cluster, FILLING_MIB);
  await cluster.areInSync();
});
afterAll(() => stores?.stop());

describe.each(STORES)("a snapshot on its way to %s", { timeout: 200_000 }, (kind) => {
  test("goes on when the leader changes, and holds all that was acknowledged before", async () => {
    const { backups, store } = stores.of(kind);
    const name = `${kind}-led`;
    const witness = await cluster.witness({ name });
    await witness.writesAgain();
    const atLeast = await revision();
    const sent = await sentBytes(cluster);
    await backups.create(name, "source");
    const goOn = await inTheMiddle(kind, name);
    const streaming = await streamingMember(cluster, sent);
    await changeLeader(streaming.metadata.name);
    await witness.writesAgain();
    goOn();
    const { lastBackup, attempts } = await backups.succeeds(name);
    const [found] = await storedBackups(store, name);
    process.stdout.write(`  ${name}: revision ${lastBackup?.revision}, at least ${atLeast} was wanted\n`);
    assert.equal(found?.metadata.sha256, lastBackup?.sha256);
    assert.ok((lastBackup?.revision ?? 0) >= atLeast);
    assert.deepEqual([attempts, await failuresOf(name)], [undefined, []], "it was not begun again");
    await cluster.verify(witness);
  });
});

/** Waits until some of a backup has arrived, and most of it has not; returns what lets it go on. */
async function inTheMiddle(kind: Store, owner: string): Promise<() => void> {
  if (kind === "volume") {
    const worker = await frozenWorker(scenario, { owner, afterBytes: MIB });
    assert.ok(worker, "it was stopped in the middle");
    return () => worker.thaw();
  }
  const { place, backups } = stores.cloud(kind);
  place.faults.slow(MIB);
  await backups.becomes(owner, "to be streamed", ({ progress }) => (progress?.bytes ?? 0) > 0);
  return () => place.faults.clear();
}

/** Makes a member the leader; or another one, where it is that already: it was ahead of the others. */
async function changeLeader(name: string): Promise<void> {
  const { leader, followers } = await cluster.roles();
  const next = leader.metadata.name === name ? followers[0]?.metadata.name : name;
  const { [next ?? ""]: id } = await cluster.memberIds();
  assert.ok(id);
  await cluster.ask(leader, (client) => client.moveLeader(id));
  const leads = async () => (await cluster.roles()).leader.metadata.name === next;
  await until(leads, { what: `${next} to lead` });
}

async function revision(): Promise<number> {
  const { leader } = await cluster.roles();
  const { revision: newest } = await cluster.ask(leader, (client) => client.status());
  return Number(newest);
}

async function failuresOf(name: string): Promise<readonly string[]> {
  const { items } = await scenario.client.list(resources.events, { namespace: "default" });
  const warnings = items.filter(({ involvedObject, type }) => involvedObject.name === name && type === "Warning");
  return warnings.map(({ message }) => message ?? "");
}
