import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { EtcdClient } from "@etcd-operator/etcd-client";
import { snapshotBytes, writeKeys } from "@etcd-operator/testing/etcd/snapshot-bytes.ts";
import { type EtcdProcess, startEtcd } from "@etcd-operator/testing/etcd-process.ts";
import { FakeClock } from "@etcd-operator/testing/kubernetes/fake-clock.ts";
import { MemoryStore } from "@etcd-operator/testing/objectstore/memory-store.ts";
import { afterAll, beforeAll, beforeEach, describe, test } from "vitest";
import type { DirectTaking } from "../direct/take-directly.ts";
import { type ChosenMember, chooseMember } from "./choose-member.ts";
import { readMetadata } from "./read-metadata.ts";
import { metadataKey, parseMetadata } from "./snapshot-metadata.ts";
import { type SnapshotProgress, type SnapshotRequest, takeSnapshot } from "./take-snapshot.ts";

const KEY = "etcd/nightly";
const BACKUP = { namespace: "prod", name: "nightly", uid: "uid-1" };
const { signal } = new AbortController();

let etcd: EtcdProcess;
let member: ChosenMember;
let store: MemoryStore;
let progress: SnapshotProgress[];

beforeAll(async () => {
  etcd = await startEtcd({ version: "3.5.16" });
});
afterAll(() => etcd?.stop());
beforeEach(async () => {
  const endpoints = [{ address: new URL(etcd.clientUrl).host }];
  member = await chooseMember({ description: "etcd", endpoints, clusterId: undefined }, signal);
  store = new MemoryStore();
  progress = [];
  return () => member.close();
});

function take(request: Partial<SnapshotRequest> = {}, stop: AbortSignal = signal) {
  const usual = { member, store, key: KEY, backup: BACKUP, clock: new FakeClock(), fence: () => undefined };
  return takeSnapshot({ ...usual, onProgress: (each) => progress.push(each), ...request }, stop);
}

/** The member, but for some of its answers. */
function memberWith(answers: Partial<EtcdClient>): ChosenMember {
  return { ...member, client: { ...member.client, ...answers } };
}

describe("a snapshot", () => {
  test("is stored as the member sends it, and described beside it", async () => {
    await writeKeys(member.client, 200);
    const { revision, clusterId } = await member.client.status();
    const sent: Uint8Array[] = [];
    const overheard = memberWith({
      async *snapshot(options) {
        for await (const chunk of member.client.snapshot(options)) {
          sent.push(Uint8Array.from(chunk));
          yield chunk;
        }
      },
    });
    const metadata = await take({ member: overheard });
    const object = Buffer.from(store.objects.get(KEY) ?? []);
    assert.ok(object.equals(Buffer.concat(sent)));
    const { hashKV, ...rest } = metadata;
    assert.deepEqual(rest, {
      clusterID: clusterId.toString(16),
      etcdVersion: "3.5.16",
      revision: Number(revision),
      sizeBytes: object.length,
      sha256: createHash("sha256").update(object).digest("hex"),
      keys: 200,
      takenAt: "2030-01-01T00:00:00.000Z",
      verifiedAt: "2030-01-01T00:00:00.000Z",
      backup: BACKUP,
    });
    const { hash, compactRevision } = await member.client.hashKeyValues(revision);
    assert.deepEqual(hashKV, { revision: Number(revision), compactRevision: Number(compactRevision), hash });
    assert.deepEqual(await readMetadata(store, KEY, signal), metadata);
  });

  test("has the revision that is in it, which may be newer than that of the member when it was asked", async () => {
    const { revision } = await member.client.put({ key: "later", value: "x" });
    const { revision: before } = member.status;
    assert.ok(revision > before);
    assert.equal((await take()).revision, Number(revision));
  });

  test("goes through this process where the store's own end cannot reach the member", async () => {
    const asked: DirectTaking[] = [];
    const takeDirectly = async (taking: DirectTaking) => {
      asked.push(taking);
      return "unreachable" as const;
    };
    await take({ takeDirectly });
    const { clusterId, memberId, dbSizeBytes } = member.status;
    const { endpoint } = member;
    assert.deepEqual(
      asked.map(({ key, order }) => ({ key, order })),
      [{ key: KEY, order: { endpoint, clusterId, memberId, dbSizeBytes } }],
    );
    assert.ok(store.objects.has(KEY));
  });

  test("that the store's own end got is checked like any other, after the object there has lost its metadata", async () => {
    await take();
    const bytes = Buffer.from(store.objects.get(KEY) ?? []);
    const takeDirectly = async ({ beforeEnd, onProgress }: DirectTaking) => {
      assert.ok(store.objects.has(metadataKey(KEY)));
      onProgress(bytes.length);
      await beforeEnd();
      assert.ok(!store.objects.has(metadataKey(KEY)));
      return { sizeBytes: bytes.length, sha256: "0".repeat(64), pieces: [] };
    };
    await assert.rejects(take({ takeDirectly }), { code: "not-as-sent" });
    assert.ok(!store.objects.has(metadataKey(KEY)));
  });

  test("reports how far it has got", async () => {
    await take();
    const [first, last] = [progress[0], progress.at(-1)];
    assert.deepEqual([first?.step, first?.bytes], ["Streaming the snapshot", 0]);
    assert.equal(last?.step, "Checking what was stored");
    assert.equal(last?.bytes, store.objects.get(KEY)?.length);
  });

  test("goes without the count and the hash of its keys where the member cannot report them any more", async () => {
    const { revision } = await member.client.status();
    const compacting = memberWith({
      async *snapshot() {
        yield* member.client.snapshot();
        await member.client.put({ key: "newer", value: "x" });
        await member.client.compact(revision + 1n);
      },
    });
    const metadata = await take({ member: compacting });
    assert.deepEqual([metadata.keys, metadata.hashKV], [undefined, undefined]);
  });

  test("of a large database goes without the hash of its keys, which the member would stand still for", async () => {
    const large = { ...member, status: { ...member.status, dbSizeBytes: 3 * 1024 ** 3 } };
    const { hashKV, keys } = await take({ member: large });
    assert.deepEqual([hashKV, typeof keys], [undefined, "number"]);
  });
});

describe("nothing looks like a verified snapshot", () => {
  const keys = () => [...store.objects.keys()];

  test.each([
    ["the member's stream ends early", (whole: Buffer) => whole.subarray(0, 8192), /does not end in its hash/],
    [
      "a bit of it is changed",
      (whole: Buffer) => Buffer.concat([Buffer.from([(whole[0] ?? 0) ^ 1]), whole.subarray(1)]),
      /does not match its hash/,
    ],
  ])("when %s: the store has nothing of it", async (_, change, message) => {
    const whole = await snapshotBytes(member.client);
    const broken = memberWith({
      async *snapshot() {
        yield change(whole);
      },
    });
    await assert.rejects(take({ member: broken }), { code: "damaged", message });
    assert.deepEqual(keys(), []);
  });

  test("when its hash is right but it is no database", async () => {
    const page = Buffer.alloc(4096, 7);
    const file = Buffer.concat([page, createHash("sha256").update(page).digest()]);
    const foreign = memberWith({
      async *snapshot() {
        yield file;
      },
    });
    await assert.rejects(take({ member: foreign }), { code: "damaged", message: /is not an etcd database/ });
    assert.deepEqual(keys(), [KEY]);
  });

  test("when it is older than its member was", async () => {
    const ahead = { ...member, status: { ...member.status, revision: member.status.revision + 1_000n } };
    await assert.rejects(take({ member: ahead }), {
      code: "damaged",
      message: /ends at revision \d+, but its member was already at/,
    });
    assert.deepEqual(keys(), [KEY]);
  });

  test("when the store keeps something else than it was sent", async () => {
    store.beforeCall = (call) => {
      const object = store.objects.get(KEY);
      if (call === `stat ${KEY}` && object) object[5000] = (object[5000] ?? 0) ^ 1;
    };
    await assert.rejects(take(), { code: "not-as-sent" });
    assert.deepEqual(keys(), [KEY]);
  });

  test("and nothing of it stays at all under a key that is new", async () => {
    store.beforeCall = (call) => {
      if (call.startsWith("get")) throw new Error("503");
    };
    await assert.rejects(take({ isKeyNew: true }), /503/);
    assert.deepEqual(keys(), []);
  });

  test("and nothing of it stays under a key that is new when only the store's answer was lost", async () => {
    const { put } = store;
    store.put = async (...args) => {
      await put.apply(store, args);
      throw new Error("it did not answer");
    };
    await assert.rejects(take({ isKeyNew: true }), /did not answer/);
    assert.deepEqual([...store.objects.keys()], []);
  });

  test("when the store fails with the metadata", async () => {
    store.beforeCall = (call) => {
      if (call.startsWith(`put ${metadataKey(KEY)}`)) throw new Error("503");
    };
    await assert.rejects(take(), /503/);
    assert.deepEqual(keys(), [KEY]);
  });

  test("that lay there before under the same key, once another object has taken its place", async () => {
    await take();
    store.beforeCall = (call) => {
      if (call === `stat ${KEY}`) throw new Error("503");
    };
    await assert.rejects(take(), /503/);
    assert.deepEqual(keys(), [KEY]);
  });

  test("and the previous object keeps its metadata when nothing replaces it", async () => {
    await take();
    const broken = memberWith({
      async *snapshot() {
        yield Buffer.alloc(100);
        throw new Error("the connection broke");
      },
    });
    await assert.rejects(take({ member: broken }), /the connection broke/);
    assert.ok(parseMetadata(Buffer.from(store.objects.get(metadataKey(KEY)) ?? []).toString()));
  });

  test("when another operator may be at work by now", async () => {
    const fence = () => assert.fail("this operator does not lead any more");
    await assert.rejects(take({ fence }), /does not lead/);
    assert.deepEqual(keys(), []);
  });

  test("when it is cancelled, which is what is reported", async () => {
    const abort = new AbortController();
    const endless = memberWith({
      async *snapshot() {
        for (;;) {
          yield Buffer.alloc(4096);
          abort.abort(new Error("the object was deleted"));
        }
      },
    });
    await assert.rejects(take({ member: endless }, abort.signal), /the object was deleted/);
    assert.deepEqual(keys(), []);
  });

  test("when the member stalls, which is what is reported", async () => {
    const clock = new FakeClock();
    const stalling = memberWith({
      async *snapshot(options) {
        yield Buffer.alloc(4096);
        await new Promise((_, reject) =>
          options?.signal?.addEventListener("abort", () => reject(new Error("canceled"))),
        );
      },
    });
    const taking = assert.rejects(take({ member: stalling, clock }), { code: "stalled" });
    await clock.advance(60_000);
    await taking;
    assert.deepEqual(keys(), []);
  });
});
