import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { connectEtcd, type EtcdClient, SnapshotCheck } from "@etcd-operator/etcd-client";
import type { KubeClient } from "@etcd-operator/kubernetes-client";
import type { ObjectStore } from "@etcd-operator/object-store";
import { ObjectStoreError, type ObjectStoreErrorCode } from "@etcd-operator/object-store";
import { anEtcdBackup, type BackupGiven } from "@etcd-operator/testing/backup/an-etcd-backup.ts";
import { startVolume, type VolumeUnderTest } from "@etcd-operator/testing/backup/volume-under-test.ts";
import { EtcdUnderTest } from "@etcd-operator/testing/cluster/etcd-under-test.ts";
import { writeKeys } from "@etcd-operator/testing/etcd/snapshot-bytes.ts";
import { type EtcdProcess, startEtcd } from "@etcd-operator/testing/etcd-process.ts";
import { FakeClock } from "@etcd-operator/testing/kubernetes/fake-clock.ts";
import { MemoryStore } from "@etcd-operator/testing/objectstore/memory-store.ts";
import { ANY_TRUST } from "@etcd-operator/testing/transfer/any-trust.ts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, test } from "vitest";
import { readMetadata } from "../../transfer/snapshot/read-metadata.ts";
import type { RunProgress } from "../observation.ts";
import { type Job, takeBackup } from "./take-backup.ts";

const { signal } = new AbortController();
const PATH = "etcd/nightly";
let etcd: EtcdProcess;
let client: EtcdClient;
let volume: VolumeUnderTest;
let store: ObjectStore;
let clock: FakeClock;
let progress: RunProgress[];
let isOpen: boolean;

beforeAll(async () => {
  etcd = await startEtcd({ version: "3.5.16" });
  client = connectEtcd({ address: new URL(etcd.clientUrl).host });
  await writeKeys(client, 2_000, () => randomBytes(1_000));
});
afterAll(async () => {
  client?.close();
  await etcd?.stop();
});
beforeEach(async () => {
  volume = await startVolume();
  [store, clock, progress, isOpen] = [await volume.open(), new FakeClock(), [], false];
});
afterEach(async () => {
  await store.close();
  await volume.stop();
});

async function take(given: BackupGiven = {}, stop: AbortSignal = signal, job: Partial<Job> = {}) {
  const endpoints = { etcdCluster: undefined, etcdEndpoints: [etcd.clientUrl] };
  const place = { storageType: "Volume", s3: undefined, volume: { claimName: "backups", path: PATH } };
  const backup = anEtcdBackup({ ...given, spec: { ...endpoints, ...place, ...given.spec } });
  const deps = {
    client: { get: async () => job.backup ?? backup } as unknown as KubeClient,
    trust: ANY_TRUST,
    clock,
    fence: () => undefined,
    openStore: async () => {
      isOpen = true;
      const close = async () => {
        isOpen = false;
      };
      return { store, key: PATH, pathOf: (key: string) => `in volume: ${key}`, close };
    },
  };
  const report = (each: RunProgress) => void progress.push(each);
  return takeBackup(deps, { backup, report, recorded: async (each) => report(each), ...job }, stop);
}

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

async function keys(): Promise<string[]> {
  const found: string[] = [];
  for await (const { key } of store.list("")) found.push(key);
  return found.sort();
}

describe("a backup of a real etcd on a real volume", () => {
  test("that is taken once lies under the very key, and is a snapshot by its own hash", async () => {
    const { revision, version, clusterId } = await client.status();
    const { snapshot, kind, pruning } = await take();
    const file = await readFile(join(volume.directory, PATH));
    const check = new SnapshotCheck();
    check.update(file);
    assert.deepEqual([check.verdict(), kind, pruning], ["ok", "succeeded", undefined]);
    assert.deepEqual(snapshot, {
      path: `in volume: ${PATH}`,
      revision: Number(revision),
      etcdVersion: version,
      clusterID: clusterId.toString(16),
      sizeBytes: file.length,
      sha256: check.sha256(),
      takenAt: "2030-01-01T00:00:00Z",
    });
    assert.deepEqual(await keys(), [PATH, `${PATH}.metadata.json`]);
    assert.equal((await readMetadata(store, PATH, signal))?.keys, 2_000);
    assert.equal(isOpen, false);
  });

  test("says step by step what it does", async () => {
    await take();
    const steps = progress.map(({ step }) => step);
    assert.deepEqual(
      [...new Set(steps)],
      ["Opening the store", "Checking the members", "Streaming the snapshot", "Checking what was stored"],
    );
    const streaming = progress.filter(({ step }) => step === "Streaming the snapshot");
    assert.equal(streaming.at(-1)?.path, `in volume: ${PATH}`);
    assert.ok((streaming.at(-1)?.bytes ?? 0) > 2_000_000);
  });

  test("that is periodic has its revision and time in the key, and removes what is too old", async () => {
    const policy = { backupIntervalInSecond: 60, maxBackups: 2 };
    const taken: string[] = [];
    for (let run = 0; run < 4; run += 1) {
      await client.put({ key: "run", value: String(run) });
      const { revision } = await client.status();
      const { snapshot, pruning } = await take({ policy });
      const at = `2030-01-01-00:0${run}:00`;
      assert.equal(snapshot.path, `in volume: ${PATH}_v${revision}_${at}`);
      taken.push(`${PATH}_v${revision}_${at}`);
      assert.deepEqual(pruning, { removed: run < 2 ? [] : [`in volume: ${taken[run - 2]}`] });
      await clock.advance(60_000);
    }
    const kept = taken.slice(2).flatMap((key) => [key, `${key}.metadata.json`]);
    assert.deepEqual(await keys(), kept);
  });

  test("replaces one that existed before", async () => {
    await take();
    await client.put({ key: "one", value: "more" });
    const { snapshot } = await take();
    const metadata = await readMetadata(store, PATH, signal);
    assert.deepEqual([metadata?.revision, metadata?.sha256], [snapshot.revision, snapshot.sha256]);
  });

  describe("where a good one lies", () => {
    /** A store that says that it has what it was given, and has something else. */
    const damaging = (isDamaged: (key: string) => boolean) => {
      const put = store.put.bind(store);
      store.put = async (key, source, options) => put(key, isDamaged(key) ? flipped(source) : source, options);
    };
    async function* flipped(source: AsyncIterable<Uint8Array>) {
      for await (const chunk of source) yield Buffer.from(chunk).fill(0, 0, 1);
    }
    const isSnapshot = (key: string) => !key.endsWith(".metadata.json");
    const bytesAt = (key: string) => readFile(join(volume.directory, key));
    let good: Buffer;
    beforeEach(async () => {
      await take();
      good = await bytesAt(PATH);
      await client.put({ key: "one", value: "more" });
    });

    test("leaves it and its metadata as they are when what the store keeps of the new one is damaged", async () => {
      damaging(isSnapshot);
      await assert.rejects(take(), { code: "not-as-sent" });
      assert.ok((await bytesAt(PATH)).equals(good));
      assert.deepEqual(await keys(), [PATH, `${PATH}.metadata.json`]);
    });

    test("keeps the verified one beside it when the last step is what damages it, and says where", async () => {
      damaging((key) => key === PATH);
      const error = await take().catch((reason: unknown) => reason as Error);
      const beside = (await keys()).find((key) => isSnapshot(key) && key !== PATH) ?? "";
      assert.match(String(error), new RegExp(`the verified backup is stored as '${beside}'`));
      const metadata = await readMetadata(store, beside, signal);
      const check = new SnapshotCheck();
      check.update(await bytesAt(beside));
      assert.deepEqual([check.verdict(), check.sha256()], ["ok", metadata?.sha256]);
    });

    test("leaves nothing beside it in the end, also not of runs that failed", async () => {
      const put = store.put;
      damaging((key) => key === PATH);
      await take().catch(() => undefined);
      store.put = put;
      await clock.advance(60_000);
      await take();
      assert.deepEqual(await keys(), [PATH, `${PATH}.metadata.json`]);
      assert.equal((await readMetadata(store, PATH, signal))?.sha256, sha256(await bytesAt(PATH)));
    });

    test("a periodic one of the same second does not replace it unverified either", async () => {
      const policy = { backupIntervalInSecond: 60 };
      const key = (await take({ policy })).snapshot.path.slice("in volume: ".length);
      const before = await bytesAt(key);
      damaging(isSnapshot);
      await assert.rejects(take({ policy }), { code: "not-as-sent" });
      assert.ok((await bytesAt(key)).equals(before));
    });
  });

  test("removes what an operator left there that was killed before it could say whether it is good", async () => {
    const policy = { backupIntervalInSecond: 60 };
    const [good, leftover] = [(await take({ policy })).snapshot.path, `${PATH}_v1_2029-12-31-00:00:00`];
    await writeFile(join(volume.directory, leftover), "whole, perhaps");
    const interrupted = (path: string) => ({
      progress: { startedAt: "2029-12-31T00:00:00Z", step: "Streaming", path },
    });
    await take({ policy, status: interrupted(`in volume: ${leftover}`) });
    await take({ policy, status: interrupted(good) });
    await take({ policy, status: interrupted(`in volume: another/backup`) });
    const found = await keys();
    assert.deepEqual([found.includes(leftover), found.includes(good.slice("in volume: ".length))], [false, true]);
  });

  test("that is one of many writes nothing before its path is on record", async () => {
    const policy = { backupIntervalInSecond: 60 };
    const found: string[][] = [];
    const recorded = async () => void found.push(await keys());
    const { snapshot } = await take({ policy }, signal, { recorded });
    await take({}, signal, { recorded: () => assert.fail("a single backup is found by its spec") });
    assert.deepEqual([found.map((each) => each.length), snapshot.path.startsWith(`in volume: ${PATH}_v`)], [[0], true]);
  });

  test("does not touch what lies beside it", async () => {
    await take({ policy: { backupIntervalInSecond: 60, maxBackups: 1 } });
    await writeFile(join(volume.directory, "etcd", "nightly_v1_2029-01-01-00:00:00"), "foreign data");
    await clock.advance(60_000);
    await take({ policy: { backupIntervalInSecond: 60, maxBackups: 1 } });
    assert.ok((await keys()).includes(`${PATH}_v1_2029-01-01-00:00:00`));
    assert.equal((await keys()).length, 3);
  });
});

describe("before a member is asked for anything", () => {
  const failing = (code: ObjectStoreErrorCode) => {
    const memory = new MemoryStore();
    memory.beforeCall = (call) => {
      if (call.startsWith("stat") && memory.objects.size === 0)
        throw new ObjectStoreError(code, { operation: call, message: "no" });
    };
    return memory;
  };
  const turns: string[] = [];
  const turn = async () => {
    turns.push("taken");
    return () => void turns.push("ended");
  };
  beforeEach(() => {
    turns.length = 0;
  });

  test.each(["unavailable", "no-such-bucket", "bad-credentials"] as const)(
    "a store that is looked for in vain, with '%s', ends it without a turn",
    async (code) => {
      await store.close();
      store = failing(code);
      await assert.rejects(take({}, signal, { turn }), { code });
      assert.deepEqual([turns, progress.map(({ step }) => step), isOpen], [[], ["Opening the store"], false]);
    },
  );

  test("a store that does not report missing objects may accept writes all the same", async () => {
    await store.close();
    store = failing("access-denied");
    await take({}, signal, { turn });
    assert.deepEqual(turns, ["taken", "ended"]);
  });

  test("a store that refuses everything is reported with what was to be stored there", async () => {
    await store.close();
    const memory = failing("access-denied");
    memory.beforeCall = (call) => {
      if (!call.startsWith("put"))
        throw new ObjectStoreError("access-denied", { operation: call, message: "no right" });
    };
    store = memory;
    await assert.rejects(take(), {
      code: "access-denied",
      message:
        /^put etcd\/nightly_new_[0-9a-z-]+_\d+: cannot delete the metadata of the older backup, if there is any: no right$/,
    });
  });

  test("its turn ends when no member responds, too", async () => {
    const unreachable = { etcdEndpoints: ["http://127.0.0.1:9"] };
    await assert.rejects(take({ spec: unreachable }, signal, { turn }), { code: "no-member" });
    assert.deepEqual(turns, ["taken", "ended"]);
  });
});

describe("an operator that dies during a backup", () => {
  /** The next run, and those after it, of an operator whose store is no more reached after so many calls. */
  async function killedAfter(calls: number): Promise<void> {
    const memory = store as MemoryStore;
    let left = calls;
    memory.beforeCall = () => {
      left -= 1;
      if (left < 0) throw new Error("the process is gone");
    };
    await take({ policy: { backupIntervalInSecond: 60, maxBackups: 1 } }).catch(() => undefined);
    memory.beforeCall = () => undefined;
    await clock.advance(60_000);
  }

  test("leaves nothing that looks verified and is not, wherever it dies; the next run goes on from there", async () => {
    await store.close();
    store = new MemoryStore();
    for (let calls = 0; calls < 25; calls += 1) {
      await killedAfter(calls);
      for (const key of await keys()) await assertHonest(key);
    }
    const { snapshot } = await take({ policy: { backupIntervalInSecond: 60, maxBackups: 1 } });
    const left = (await keys()).filter((key) => key.endsWith(".metadata.json"));
    assert.deepEqual(left, [`${snapshot.path.slice("in volume: ".length)}.metadata.json`]);
  });

  /** An object with metadata matches it; or it is gone, and its metadata is deleted next time. */
  async function assertHonest(key: string): Promise<void> {
    const metadata = await readMetadata(store, key, signal);
    if (!metadata) return;
    const check = new SnapshotCheck();
    for await (const chunk of store.get(key)) check.update(chunk);
    assert.deepEqual([check.verdict(), check.sha256()], ["ok", metadata.sha256]);
  }
});

test("a change of leader in the middle does not disturb it", async () => {
  const cluster = await EtcdUnderTest.start("3.5.30", "a", "b", "c");
  try {
    const leader = await cluster.leader();
    await writeKeys(cluster.clientOf(leader), 500, () => randomBytes(2_000));
    const to = (await cluster.list()).find(({ name }) => name !== leader);
    let moving: Promise<void> | undefined;
    const { put } = store;
    store.put = (key, source, options) =>
      put.call(store, key, source, {
        ...options,
        onProgress: (bytes) => {
          if (bytes > 0) moving ??= cluster.clientOf(leader).moveLeader(to?.id ?? 0n);
          options?.onProgress?.(bytes);
        },
      });
    const { snapshot } = await take({
      spec: { etcdEndpoints: [...cluster.clients.values()].map(({ endpoint }) => endpoint) },
    });
    await moving;
    assert.notEqual(await cluster.leader(), leader);
    assert.equal((await readMetadata(store, PATH, signal))?.sha256, snapshot.sha256);
  } finally {
    await cluster.stop();
  }
});

describe("a backup that does not come about", () => {
  test("leaves nothing when it is cancelled in the middle, and closes the store", async () => {
    const abort = new AbortController();
    const whenStreaming = store.put.bind(store);
    store.put = async (key, source, options) =>
      whenStreaming(key, source, {
        ...options,
        onProgress: (bytes) => bytes > 500_000 && abort.abort(new Error("the object was deleted")),
      });
    await assert.rejects(take({}, abort.signal), /the object was deleted/);
    assert.deepEqual([await keys(), await volume.leftovers(), isOpen], [[], [], false]);
  });

  test("because no member responds closes the store", async () => {
    const taking = take({ spec: { etcdEndpoints: ["http://127.0.0.1:1"] } });
    await assert.rejects(taking, { code: "no-member", isTransient: true });
    assert.equal(isOpen, false);
  });
});
