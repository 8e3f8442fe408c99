import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { KubeObject, Stored } from "@etcd-operator/kubernetes-client";
import { resources } from "@etcd-operator/kubernetes-client";
import type { ObjectStore } from "@etcd-operator/object-store";
import { ownResources } from "@etcd-operator/operator/objects/own-resources.ts";
import { eachAtOnce } from "@etcd-operator/operator/transfer/snapshot/each-at-once.ts";
import { metadataKey } from "@etcd-operator/operator/transfer/snapshot/snapshot-metadata.ts";
import type { CloudPlace } from "@etcd-operator/testing/scenario/backup/backup-places.ts";
import { BackupsUnderTest } from "@etcd-operator/testing/scenario/backup/backups-under-test.ts";
import { cloudPlace } from "@etcd-operator/testing/scenario/backup/cloud-places.ts";
import { keysIn } from "@etcd-operator/testing/scenario/backup/stored-backups.ts";
import { aManifest } from "@etcd-operator/testing/scenario/cluster/a-manifest.ts";
import type { ClusterUnderTest } from "@etcd-operator/testing/scenario/cluster/cluster-under-test.ts";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import { fill } from "@etcd-operator/testing/scenario/data/fill.ts";
import type { Witness } from "@etcd-operator/testing/scenario/data/witness.ts";
import { volumeFolder } from "@etcd-operator/testing/scenario/faults/member-faults.ts";
import { nothingIsLeft } from "@etcd-operator/testing/scenario/restore/restored.ts";
import { afterAll, beforeAll, describe, test } from "vitest";
import { randomOf } from "../../model/random.ts";

const SEED = Number(process.env.SEED ?? 20_261_115);
const FLIPS = 200;
const PAGE_BYTES = 4_096;
const HASH_BYTES = 32;
/** Restores of one cluster wait for each other, and a waiting one checks again whenever another ends. */
const AT_ONCE = 4;

interface Defect {
  readonly bytes: Uint8Array;
  readonly says: RegExp;
}

const CUT_OFF = /is not an etcd snapshot, or incomplete: |does not end in the hash that etcd writes: it was truncated/;
const DAMAGED = /is damaged: its contents do not match its own hash|is not an etcd snapshot/;
const NO_SNAPSHOT = /is not an etcd snapshot, or incomplete: /;

const scenario = clusterScenario({ keepsWitnesses: true });
let place: CloudPlace;
let store: ObjectStore;
let backups: BackupsUnderTest;
let target: ClusterUnderTest;
let witness: Witness;
/** A backup of the target, when it held next to nothing. */
let sound: Buffer;
let before: readonly string[];

beforeAll(async () => {
  place = await cloudPlace("azure");
  store = await place.open();
  backups = await BackupsUnderTest.at(scenario, place);
  target = await scenario.create("target", { claims: true });
  await target.settled(3);
  await target.put("kept", "in the backup");
  await backups.taken("sound", "target");
  sound = await bytesAt("sound");
  witness = await target.witness();
  await witness.writesAgain();
  before = await stateOf(target);
});
afterAll(async () => {
  await store?.close();
  await place?.stop();
});

describe("a restore over a cluster that is being written to", { timeout: 400_000 }, () => {
  test("from a snapshot cut off at any boundary of 4 KiB is refused", async () => {
    const sizes = Array.from({ length: Math.ceil(sound.length / PAGE_BYTES) }, (_, page) => page * PAGE_BYTES);
    await areRefused(sizes.map((size) => [`cut-${size}`, { bytes: sound.subarray(0, size), says: CUT_OFF }]));
  });

  test(`from a snapshot with any of ${FLIPS} bits flipped is refused (seed ${SEED})`, async () => {
    const random = randomOf(SEED);
    const flips = Array.from({ length: FLIPS }, () => random.int(sound.length * 8));
    await areRefused(flips.map((bit, index) => [`flip-${index}-${bit}`, { bytes: flipped(bit), says: DAMAGED }]));
  });

  test("from a snapshot without its hash, or from another file, is refused", async () => {
    const [claim] = await target.claims();
    assert.ok(claim);
    const dataFile = await readFile(join(await volumeFolder(scenario, claim), "data", "member", "snap", "db"));
    const sidecar = await bytesAt(metadataKey("sound"));
    await areRefused([
      ["no-hash", { bytes: sound.subarray(0, -HASH_BYTES), says: /does not end in the hash that etcd writes/ }],
      ["data-file", { bytes: dataFile, says: /does not end in the hash.*copied from a data directory/ }],
      ["metadata", { bytes: sidecar, says: NO_SNAPSHOT }],
      ["text", { bytes: Buffer.from("apiVersion: v1\nkind: Secret\n".repeat(4_000)), says: NO_SNAPSHOT }],
      ["zeros", { bytes: Buffer.alloc(100 * PAGE_BYTES), says: NO_SNAPSHOT }],
      ["nothing", { bytes: Buffer.alloc(0), says: NO_SNAPSHOT }],
    ]);
  });

  test("from another backup than the metadata beside it describes is refused", async () => {
    await backups.taken("other", "target");
    await put("mistaken", await bytesAt("other"));
    await put(metadataKey("mistaken"), await bytesAt(metadataKey("sound")));
    await isRefused("mistaken", /is not the backup that was taken: its SHA-256 differs from/);
    await isUntouched();
  });

  test("from a backup of a newer minor is refused", async () => {
    const newer = await scenario.create("newer", { size: 1, version: "3.6.16" });
    await newer.settled(1);
    await backups.taken("newer", "newer");
    await isRefused("newer", /comes from etcd 3\.6, newer than EtcdCluster 'target' of 3\.5\. Restore it into/);
    await isUntouched();
    await newer.delete();
  });

  test("from a backup larger than the members' volumes is refused", async () => {
    const tight = await aTightCluster("tight", "72Mi");
    await fill(tight, 8);
    await backups.taken("large", "tight");
    const tightBefore = await stateOf(tight);
    await isRefused(
      "large",
      /has \d+ bytes and needs \d+Mi, more than the 72Mi that members of.*'tight' have/,
      "tight",
    );
    assert.deepEqual(await stateOf(tight), tightBefore);
    await tight.delete();
  });

  test("leaves all that was acknowledged where it is", async () => {
    await isUntouched();
    await nothingIsLeft(scenario, place);
    await target.verify(witness);
  });
});

describe("a restore into a new cluster", { timeout: 200_000 }, () => {
  test.each([
    ["cut-4096", CUT_OFF],
    ["no-hash", /does not end in the hash/],
    ["newer", /comes from etcd 3\.6, newer than EtcdCluster 'new-newer' of 3\.5/],
  ])("from '%s' makes nothing", async (key, says) => {
    const { spec } = aManifest("new");
    await isRefused(key, says, `new-${key}`, { clusterTemplate: { spec } } as object);
    const ref = { namespace: "default", name: `new-${key}` };
    await assert.rejects(scenario.client.get(ownResources.etcdClusters, ref), { code: "not-found" });
  });
});

function flipped(bit: number): Buffer {
  const bytes = Buffer.from(sound);
  bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  return bytes;
}

async function areRefused(defects: readonly (readonly [key: string, defect: Defect])[]): Promise<void> {
  const started = performance.now();
  await eachAtOnce(defects, AT_ONCE, async ([key, { bytes, says }]) => {
    await put(key, bytes);
    await isRefused(key, says);
  });
  process.stdout.write(`  ${defects.length} refused in ${((performance.now() - started) / 1000).toFixed(1)} s\n`);
  await isUntouched();
}

/** The message names the object, the defect and what to do. */
async function isRefused(key: string, says: RegExp, cluster = "target", spec = {}): Promise<void> {
  const name = `${cluster}-${key}`;
  await backups.restore(cluster, key, spec, name);
  const reason = await backups.restoreFails(name);
  assert.ok(reason.includes(`'backups/${key}'`), reason);
  assert.match(reason, says);
  assert.match(reason, /\. (Set|Use|Restore|Create|Request) .*\. Nothing was changed$/);
  const { status } = await backups.getRestore(name);
  assert.deepEqual([status?.succeeded, status?.safetySnapshot], [false, undefined]);
}

async function isUntouched(): Promise<void> {
  assert.deepEqual(await stateOf(target), before);
  const saved = (await keysIn(store, "")).filter((key) => key.includes("_safety_"));
  assert.deepEqual(saved, [], "not even a safety snapshot was begun");
}

/** The cluster and all that belongs to it, but for what it says of its health. */
async function stateOf(cluster: ClusterUnderTest): Promise<readonly string[]> {
  const [pods, claims, services, budgets] = await Promise.all([
    cluster.pods(),
    cluster.claims(),
    cluster.labelled(resources.services),
    cluster.labelled(resources.podDisruptionBudgets),
  ]);
  const { status, ...itself } = await cluster.get();
  const { clusterID, incarnation, restore, memberIntents } = status ?? {};
  const restarts = pods.map(({ status: of }) => of?.containerStatuses?.map(({ restartCount }) => restartCount));
  const all: readonly Stored<KubeObject>[] = [itself, ...pods, ...claims, ...services, ...budgets];
  return [...all.map(asWritten), JSON.stringify({ clusterID, incarnation, restore, memberIntents, restarts })];
}

/** By what others than the system write. */
function asWritten({ kind, metadata, ...object }: Stored<KubeObject>): string {
  const { name, uid, generation, labels, annotations, finalizers, deletionTimestamp } = metadata;
  const { spec } = object as { spec?: object };
  return JSON.stringify({ kind, name, uid, generation, labels, annotations, finalizers, deletionTimestamp, spec });
}

async function aTightCluster(name: string, storage: string): Promise<ClusterUnderTest> {
  const { spec, ...manifest } = aManifest(name, { size: 1, claims: true, whenDeleted: "Delete" });
  const persistentVolumeClaimSpec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } } };
  await scenario.local.apply({ ...manifest, spec: { ...spec, pod: { persistentVolumeClaimSpec } } });
  const cluster = scenario.cluster(name);
  await cluster.settled(1);
  return cluster;
}

async function bytesAt(key: string): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of store.get(key)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function put(key: string, bytes: Uint8Array): Promise<void> {
  await store.put(key, only(bytes));
}

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
