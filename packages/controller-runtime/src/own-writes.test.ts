import assert from "node:assert/strict";
import { resources } from "@etcd-operator/kubernetes-client";
import { Cache } from "@etcd-operator/kubernetes-client/watch/cache.ts";
import { FakeClock } from "@etcd-operator/testing/kubernetes/fake-clock.ts";
import { configMap } from "@etcd-operator/testing/kubernetes/scripted-server.ts";
import type { ConfigMap } from "kubernetes-types/core/v1.d.ts";
import { beforeEach, describe, test } from "vitest";
import { OwnWrites, type WriteLog } from "./own-writes.ts";

const { configMaps, events } = resources;
const uid = "uid-of-a";
const ref = { namespace: "default", name: "a", uid };
const inAMinute = { deletionTimestamp: "2030-01-01T00:01:00Z" };

let clock: FakeClock;
let cache: Cache<ConfigMap>;
let ownWrites: OwnWrites;
let log: WriteLog;
const never = new AbortController().signal;

beforeEach(() => {
  clock = new FakeClock();
  cache = new Cache<ConfigMap>();
  cache.replace([configMap("a", "1")], "1");
  const cachesOf = ({ plural }: { plural: string }) => (plural === configMaps.plural ? [cache] : []);
  ownWrites = new OwnWrites({ cachesOf, clock, deadlineMs: 1_000 });
  log = ownWrites.logOf("key");
});

/** What has come of waiting so far; "waits" as long as nothing has. */
async function settled(signal = never): Promise<{ now(): Promise<string> }> {
  let state = "waits";
  void ownWrites.settle("key", signal).then((result) => {
    state = result;
  });
  return {
    async now() {
      await clock.advance(0);
      return state;
    },
  };
}

describe("a key", () => {
  test("that wrote nothing does not wait", async () => {
    assert.equal(await ownWrites.settle("key", never), "seen");
  });

  test("waits until the cache has seen what it wrote", async () => {
    log.wrote(configMaps, configMap("a", "5"));
    const waiting = await settled();
    assert.equal(await waiting.now(), "waits");
    cache.apply({ type: "MODIFIED", object: configMap("a", "5") });
    assert.equal(await waiting.now(), "seen");
  });

  test("waits for all of its writes, of which each object's last one counts", async () => {
    log.wrote(configMaps, configMap("a", "5"));
    log.wrote(configMaps, configMap("b", "6"));
    log.wrote(configMaps, configMap("a", "7"));
    const waiting = await settled();
    cache.apply({ type: "ADDED", object: configMap("b", "6") });
    assert.equal(await waiting.now(), "waits");
    cache.apply({ type: "MODIFIED", object: configMap("a", "7") });
    assert.equal(await waiting.now(), "seen");
  });

  test("waits for every cache that shows the kind", async () => {
    const other = new Cache<ConfigMap>();
    other.replace([], "1");
    ownWrites = new OwnWrites({ cachesOf: () => [cache, other], clock });
    ownWrites.logOf("key").wrote(configMaps, configMap("a", "5"));
    const waiting = await settled();
    cache.apply({ type: "BOOKMARK", resourceVersion: "9" });
    assert.equal(await waiting.now(), "waits");
    other.apply({ type: "BOOKMARK", resourceVersion: "9" });
    assert.equal(await waiting.now(), "seen");
  });

  test("does not wait for kinds that no cache shows, nor for what other keys wrote", async () => {
    log.wrote(events, configMap("a", "5"));
    ownWrites.logOf("other").wrote(configMaps, configMap("a", "5"));
    assert.equal(await ownWrites.settle("key", never), "seen");
  });
});

describe("a deletion", () => {
  test("of an object that went at once is seen when it is gone", async () => {
    log.deleted(configMaps, ref);
    const waiting = await settled();
    cache.apply({ type: "BOOKMARK", resourceVersion: "4" });
    assert.equal(await waiting.now(), "waits");
    cache.apply({ type: "DELETED", object: configMap("a", "5") });
    assert.equal(await waiting.now(), "seen");
  });

  test("of an object that winds up is seen when the cache shows that it does", async () => {
    log.deleted(configMaps, ref, configMap("a", "5", inAMinute));
    const waiting = await settled();
    assert.equal(await waiting.now(), "waits");
    cache.apply({ type: "MODIFIED", object: configMap("a", "5", inAMinute) });
    assert.equal(await waiting.now(), "seen");
  });

  test("that returned the object with its old version is not taken for seen", async () => {
    log.deleted(configMaps, ref, configMap("a", "1"));
    const waiting = await settled();
    assert.equal(await waiting.now(), "waits");
    cache.apply({ type: "DELETED", object: configMap("a", "5") });
    assert.equal(await waiting.now(), "seen");
  });

  test("is seen, too, when another object has taken the name", async () => {
    log.deleted(configMaps, ref);
    const waiting = await settled();
    cache.apply({ type: "ADDED", object: configMap("a", "6", { uid: "another" }) });
    assert.equal(await waiting.now(), "seen");
  });
});

describe("a watch that hangs", () => {
  test("makes the key late after the deadline, again and again, until the write is seen", async () => {
    log.wrote(configMaps, configMap("a", "5"));
    const first = await settled();
    await clock.advance(999);
    assert.equal(await first.now(), "waits");
    await clock.advance(1);
    assert.equal(await first.now(), "late");
    const second = await settled();
    await clock.advance(1_000);
    assert.equal(await second.now(), "late");
    cache.apply({ type: "MODIFIED", object: configMap("a", "5") });
    assert.equal(await ownWrites.settle("key", never), "seen");
  });

  test("does not outlast the program", async () => {
    const abort = new AbortController();
    log.wrote(configMaps, configMap("a", "5"));
    const waiting = await settled(abort.signal);
    abort.abort();
    assert.equal(await waiting.now(), "late");
    assert.deepEqual(clock.pendingMs, []);
  });

  test("is of no interest to a key that was forgotten", async () => {
    log.wrote(configMaps, configMap("a", "5"));
    log.leftOpen();
    ownWrites.forget("key");
    assert.equal(await ownWrites.settle("key", never), "seen");
  });
});

test("a write without an answer makes the key late once: it is not known what to wait for", async () => {
  log.leftOpen();
  assert.equal(await ownWrites.settle("key", never), "late");
  assert.equal(await ownWrites.settle("key", never), "seen");
});

test("a write without an answer makes the key late, also when all others are seen", async () => {
  log.wrote(configMaps, configMap("a", "1"));
  log.leftOpen();
  assert.equal(await ownWrites.settle("key", never), "late");
});
