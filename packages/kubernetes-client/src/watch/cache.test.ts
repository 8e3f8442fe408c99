import assert from "node:assert/strict";
import { errorOf } from "@etcd-operator/testing/kubernetes/error-of.ts";
import { configMap } from "@etcd-operator/testing/kubernetes/scripted-server.ts";
import { describe, test } from "vitest";
import type { KubeObject } from "../requests/kube-object.ts";
import { Cache, type Change } from "./cache.ts";
import { byLabel, type Indexer } from "./indexers.ts";

const a = { namespace: "default", name: "a" };

describe("a list", () => {
  test("adds all there is, and then the cache is in sync", () => {
    const cache = new Cache();
    assert.equal(cache.hasSynced, false);
    assert.deepEqual(told(cache.replace([configMap("a", "1"), configMap("b", "2")], "9")), [
      "added a",
      "added b",
      "synced",
    ]);
    assert.equal(cache.hasSynced, true);
    assert.equal(cache.resourceVersion, "9");
    assert.equal(cache.get(a)?.metadata.resourceVersion, "1");
  });

  test("reports what was deleted, added and changed while there was no watch", () => {
    const cache = new Cache();
    cache.replace([configMap("a", "1"), configMap("b", "2"), configMap("c", "3")], "9");
    const changes = cache.replace([configMap("b", "2"), configMap("c", "10"), configMap("d", "11")], "12");
    assert.deepEqual(told(changes), ["deleted a", "modified c from 3", "added d"]);
  });

  test("tells of another object under the same name as one deleted and one added", () => {
    const cache = new Cache();
    cache.replace([configMap("a", "1")], "9");
    assert.deepEqual(told(cache.replace([configMap("a", "10", { uid: "other" })], "12")), ["deleted a", "added a"]);
  });
});

describe("an event", () => {
  test("that was seen before changes nothing", () => {
    const cache = new Cache();
    cache.replace([configMap("a", "1")], "9");
    assert.deepEqual(cache.apply({ type: "ADDED", object: configMap("a", "1") }), []);
    assert.deepEqual(cache.apply({ type: "DELETED", object: configMap("unknown", "10") }), []);
    assert.deepEqual(told(cache.apply({ type: "ADDED", object: configMap("a", "11") })), ["modified a from 1"]);
  });

  test("that is sent again after newer ones does not undo them", () => {
    const cache = new Cache();
    cache.replace([configMap("a", "1")], "9");
    cache.apply({ type: "MODIFIED", object: configMap("a", "10") });
    cache.apply({ type: "DELETED", object: configMap("a", "11") });
    assert.deepEqual(cache.apply({ type: "MODIFIED", object: configMap("a", "10") }), []);
    cache.apply({ type: "ADDED", object: configMap("a", "12", { uid: "other" }) });
    assert.deepEqual(cache.apply({ type: "DELETED", object: configMap("a", "11") }), []);
    assert.deepEqual(cache.apply({ type: "BOOKMARK", resourceVersion: "11" }), []);
    assert.equal(cache.get(a)?.metadata.uid, "other");
    assert.equal(cache.resourceVersion, "12");
  });

  test("of a deletion carries the object's last state", () => {
    const cache = new Cache();
    cache.replace([configMap("a", "1")], "9");
    const [change] = cache.apply({ type: "DELETED", object: configMap("a", "10") });
    assert.ok(change?.type === "deleted" && change.object.metadata.resourceVersion === "10");
    assert.equal(cache.size, 0);
  });
});

test("indexes follow what changes", () => {
  const ownerReferences = [{ apiVersion: "v1", kind: "Pod", name: "p", uid: "owner" }];
  const byOwner: Indexer<KubeObject> = ({ metadata }) => (metadata.ownerReferences ?? []).map(({ uid }) => uid);
  const cache = new Cache<KubeObject, "app" | "owner">({ app: byLabel("app"), owner: byOwner });
  cache.replace([configMap("a", "1", { labels: { app: "x" }, ownerReferences }), configMap("b", "2")], "9");
  const names = (index: "app" | "owner", value: string) =>
    cache.byIndex(index, value).map(({ metadata }) => metadata.name);
  assert.deepEqual([names("app", "default/x"), names("owner", "owner")], [["a"], ["a"]]);
  cache.apply({ type: "MODIFIED", object: configMap("a", "10", { labels: { app: "y" } }) });
  assert.deepEqual([names("app", "default/x"), names("app", "default/y"), names("owner", "owner")], [[], ["a"], []]);
  cache.apply({ type: "DELETED", object: configMap("a", "11") });
  assert.deepEqual(names("app", "default/y"), []);
});

test("a list may be of one namespace", () => {
  const cache = new Cache();
  cache.replace([configMap("a", "1"), configMap("a", "2", { namespace: "other" })], "9");
  assert.deepEqual([cache.list().length, cache.list("other").length], [2, 1]);
});

describe("those who wait", () => {
  test("for a write go on when it, or anything newer, has been seen", async () => {
    const cache = new Cache();
    cache.replace([configMap("a", "99")], "100");
    await cache.waitUntilSeen(a, "100");
    const waiting = cache.waitUntilSeen(a, "1000");
    assert.equal(await isPending(waiting), true);
    cache.apply({ type: "ADDED", object: configMap("b", "999") });
    assert.equal(await isPending(waiting), true);
    cache.apply({ type: "BOOKMARK", resourceVersion: "1001" });
    await waiting;
  });

  test("for a version that is no number go on when the object has exactly that", async () => {
    const cache = new Cache();
    cache.replace([configMap("a", "x")], "y");
    await cache.waitUntilSeen(a, "x");
    assert.equal(await isPending(cache.waitUntilSeen(a, "a")), true);
  });

  test("for an object to go do not mind another under its name", async () => {
    const cache = new Cache();
    cache.replace([configMap("a", "1")], "9");
    const waiting = cache.waitUntilGone(a, "uid-of-a");
    assert.equal(await isPending(waiting), true);
    cache.apply({ type: "MODIFIED", object: configMap("a", "10", { uid: "other" }) });
    await waiting;
  });

  test("for the first list give up with their signal", async () => {
    const abort = new AbortController();
    const waiting = new Cache().waitForSync(abort.signal);
    abort.abort();
    assert.equal((await errorOf(waiting)).code, "canceled");
    assert.equal((await errorOf(new Cache().waitForSync(abort.signal))).code, "canceled");
  });
});

function told(changes: readonly Change<KubeObject>[]): string[] {
  return changes.map((change) => {
    if (change.type === "synced") return "synced";
    const from = change.type === "modified" ? ` from ${change.old.metadata.resourceVersion}` : "";
    return `${change.type} ${change.object.metadata.name}${from}`;
  });
}

async function isPending(promise: Promise<unknown>): Promise<boolean> {
  const pending = Symbol("pending");
  return (await Promise.race([promise, new Promise((resolve) => setImmediate(resolve, pending))])) === pending;
}
