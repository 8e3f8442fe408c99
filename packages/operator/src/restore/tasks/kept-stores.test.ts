import assert from "node:assert/strict";
import { ObjectStoreError } from "@etcd-operator/object-store";
import { FakeClock } from "@etcd-operator/testing/kubernetes/fake-clock.ts";
import { MemoryStore } from "@etcd-operator/testing/objectstore/memory-store.ts";
import { beforeEach, test } from "vitest";
import { KeptStores } from "./kept-stores.ts";

const { signal } = new AbortController();
let clock: FakeClock;
let kept: KeptStores;
let store: MemoryStore;
let closed: number;
beforeEach(() => {
  [clock, store, closed] = [new FakeClock(), new MemoryStore(), 0];
  kept = new KeptStores(clock);
});

const opened = () => ({
  store,
  key: "etcd",
  pathOf: (key: string) => key,
  close: async () => {
    closed += 1;
  },
});

test("a store that was used a moment ago is used again, once", async () => {
  const first = opened();
  await kept.keep("a/b", "1", first);
  assert.equal(await kept.take("a/b", "1", signal), first);
  assert.equal(await kept.take("a/b", "1", signal), undefined);
  await clock.advance(60_000);
  assert.equal(closed, 0, "its user closes it");
});

test("an unused store is closed after a while", async () => {
  await kept.keep("a/b", "1", opened());
  await clock.advance(29_000);
  assert.equal(closed, 0);
  await clock.advance(1_000);
  assert.deepEqual([closed, await kept.take("a/b", "1", signal)], [1, undefined]);
});

test("a store of another restore, of another attempt, or one that does not answer is not used", async () => {
  await kept.keep("a/b", "1", opened());
  assert.equal(await kept.take("a/c", "1", signal), undefined);
  assert.equal(await kept.take("a/b", "2", signal), undefined);
  assert.equal(closed, 1);
  await kept.keep("a/b", "2", opened());
  store.beforeCall = (call) => {
    throw new ObjectStoreError("unavailable", { operation: call, message: "its worker is gone" });
  };
  assert.equal(await kept.take("a/b", "2", signal), undefined);
  assert.equal(closed, 2);
});

test("one is kept for each restore, and nothing when all is over", async () => {
  await kept.keep("a/b", "1", opened());
  await kept.keep("a/b", "1", opened());
  await kept.keep("a/c", "1", opened());
  assert.equal(closed, 1);
  await kept.drop("a/b");
  await kept.drop("a/b");
  assert.equal(closed, 2);
  await kept.close();
  assert.deepEqual([closed, clock.pendingMs], [3, []]);
});
