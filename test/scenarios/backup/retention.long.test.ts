import assert from "node:assert/strict";
import { resources } from "@etcd-operator/kubernetes-client";
import type { ObjectStore } from "@etcd-operator/object-store";
import { eachAtOnce } from "@etcd-operator/operator/transfer/snapshot/each-at-once.ts";
import { metadataKey, metadataText } from "@etcd-operator/operator/transfer/snapshot/snapshot-metadata.ts";
import type { CloudPlace } from "@etcd-operator/testing/scenario/backup/backup-places.ts";
import { cloudPlace } from "@etcd-operator/testing/scenario/backup/cloud-places.ts";
import { keysIn } from "@etcd-operator/testing/scenario/backup/stored-backups.ts";
import { STORES, StoresUnderTest } from "@etcd-operator/testing/scenario/backup/stores-under-test.ts";
import type { ClusterUnderTest } from "@etcd-operator/testing/scenario/cluster/cluster-under-test.ts";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import { afterAll, beforeAll, describe, test } from "vitest";

const MANY = 1_100;
/** Sorted as text, 9 would come last and 100 before 99. */
const NEWEST_OF_OLD = [9, 10, 99, 100];
const HOUR_MS = 3_600_000;

const scenario = clusterScenario({ operator: false });
let stores: StoresUnderTest<CloudPlace>;
let cluster: ClusterUnderTest;
beforeAll(async () => {
  stores = await StoresUnderTest.start(scenario, cloudPlace);
  cluster = await scenario.create("source", { size: 1 });
  await cluster.settled(1);
  for (let written = 0; written < 150; written += 1) await cluster.put(`key/${written}`, "value");
});
afterAll(() => stores?.stop());

describe.each(STORES)("of 1,100 backups in %s", { timeout: 300_000 }, (kind) => {
  const own = `to-${kind}`;

  test("as many are kept as asked for, by revision and then by time, and nothing of others is touched", async () => {
    const { place, backups, store } = stores.of(kind);
    const witness = await cluster.witness({ name: own });
    const key = `${own}/etcd`;
    const old = await putBackups(store, key, own);
    const foreign = await putForeign(store, key, own);
    const started = performance.now();
    await backups.create(own, "source", { key, policy: { backupIntervalInSecond: 3_600, maxBackups: 4 } });
    const { lastBackup } = await backups.succeeds(own);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    await cluster.verify(witness);
    const kept = [place.keyAt(lastBackup?.path ?? ""), ...old.slice(-3).reverse()];
    process.stdout.write(
      `  ${kind}: ${old.length - 3} of ${old.length} removed in ${seconds} s, kept ${kept.join(", ")}\n`,
    );
    assert.deepEqual(await keysIn(store, ""), [...foreign, ...kept, ...kept.map(metadataKey)].sort());
    assert.deepEqual(
      old.slice(-3).map((each) => /_v(\d+)_/.exec(each)?.[1]),
      ["10", "99", "100"],
    );
    await tellsOf(own, /^Removed 1097 old backups: /);
  });

  test("those that are too old go, but never the newest", async () => {
    const { place, backups, store } = stores.of(kind);
    const name = `${own}-aged`;
    const key = `${own}-aged/etcd`;
    const stamps = [3, 2, 1, 0.1].map((hours) => Date.now() - hours * HOUR_MS);
    const old = await Promise.all(stamps.map((at, index) => putBackup(store, { key, name, revision: index + 1, at })));
    await backups.create(name, "source", { key, policy: { backupIntervalInSecond: 3_600, maxAgeInSecond: 5_400 } });
    const { lastBackup } = await backups.succeeds(name);
    const kept = [...old.slice(-2), place.keyAt(lastBackup?.path ?? "")];
    assert.deepEqual(await keysIn(store, key), [...kept, ...kept.map(metadataKey)].sort());
  });
});

/** Oldest first; most of them are of the same few revisions, as of a cluster that is hardly written to. */
async function putBackups(store: ObjectStore, key: string, name: string): Promise<readonly string[]> {
  const many = Array.from({ length: MANY - NEWEST_OF_OLD.length }, (_, index) => 1 + Math.floor(index / 140));
  const begin = Date.UTC(2024, 0, 1);
  const wanted = [...many, ...NEWEST_OF_OLD].map((revision, hour) => ({
    ...{ key, name, revision },
    at: begin + hour * HOUR_MS,
  }));
  const made = new Map<number, string>();
  await eachAtOnce(wanted, 16, async (each) => {
    made.set(each.at, await putBackup(store, each));
  });
  return wanted.map(({ at }) => made.get(at) ?? "");
}

interface Made {
  readonly key: string;
  /** Of the EtcdBackup. */
  readonly name: string;
  readonly revision: number;
  readonly at: number;
}

async function putBackup(store: ObjectStore, made: Made): Promise<string> {
  const key = `${made.key}_v${made.revision}_${stamp(made.at)}`;
  await put(store, key, "a snapshot");
  await put(store, metadataKey(key), metadataOf(made));
  return key;
}

/** What looks like ours, more or less. */
async function putForeign(store: ObjectStore, key: string, name: string): Promise<readonly string[]> {
  const at = Date.UTC(2023, 0, 1);
  const undescribed = [
    key,
    `${key}_v1_${stamp(at)}`,
    `${key}_v1_${stamp(at)}.bak`,
    `${key}_v01_${stamp(at)}`,
    `${key}_v1_2023-02-31-00:00:00`,
    `${key}_vault`,
    `${key}-other_v1_${stamp(at)}`,
    `${name}/unrelated`,
  ];
  for (const each of undescribed) await put(store, each, "another owner's");
  const others = await putBackup(store, { key, name: "another-owner", revision: 1, at: at + HOUR_MS });
  const illegible = `${key}_v1_${stamp(at + 2 * HOUR_MS)}`;
  await put(store, illegible, "another owner's");
  await put(store, metadataKey(illegible), "{}");
  return [...undescribed, ...[others, illegible].flatMap((each) => [each, metadataKey(each)])];
}

function metadataOf({ name, revision, at }: Made): string {
  const time = new Date(at).toISOString();
  return metadataText({
    clusterID: "cafe",
    etcdVersion: "3.5.16",
    revision,
    sizeBytes: 10,
    sha256: "0".repeat(64),
    takenAt: time,
    verifiedAt: time,
    backup: { namespace: "default", name, uid: "of-an-earlier-one" },
  });
}

function stamp(at: number): string {
  return new Date(at).toISOString().slice(0, 19).replace("T", "-");
}

async function put(store: ObjectStore, key: string, text: string): Promise<void> {
  await store.put(key, only(text));
}

async function* only(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

async function tellsOf(name: string, text: RegExp): Promise<void> {
  const { items } = await scenario.client.list(resources.events, { namespace: "default" });
  const about = items.filter(({ involvedObject }) => involvedObject.name === name);
  const said = about.map(({ message }) => message ?? "");
  assert.ok(
    said.some((each) => text.test(each)),
    `one of the Events says ${text}: ${said.join("; ")}`,
  );
}
