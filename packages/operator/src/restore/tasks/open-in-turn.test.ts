import assert from "node:assert/strict";
import { Turns } from "@etcd-operator/controller-runtime";
import { ObjectStoreError, type ObjectStoreErrorCode } from "@etcd-operator/object-store";
import { MemoryStore } from "@etcd-operator/testing/objectstore/memory-store.ts";
import { beforeEach, test } from "vitest";
import { openInTurn } from "./open-in-turn.ts";

const { signal } = new AbortController();
let turns: Turns;
let store: MemoryStore;
let closed: number;
beforeEach(() => {
  [turns, store, closed] = [new Turns(1), new MemoryStore(), 0];
});

const close = async () => {
  closed += 1;
};
const open = async () => ({ store, key: "etcd", pathOf: (key: string) => key, close });
const fails = (code: ObjectStoreErrorCode) => {
  store.beforeCall = (call) => {
    throw new ObjectStoreError(code, { operation: call, message: "no" });
  };
};

test("a store is used in turn, which ends when it is closed", async () => {
  const first = await openInTurn(turns, open, signal);
  assert.ok(turns.isFull);
  const second = openInTurn(turns, open, signal);
  await first.close();
  await (await second).close();
  assert.deepEqual([turns.isFull, closed], [false, 2]);
});

test("a store that does not answer is closed, and takes no turn", async () => {
  fails("unavailable");
  await assert.rejects(openInTurn(turns, open, signal), { code: "unavailable" });
  assert.deepEqual([turns.isFull, closed], [false, 1]);
});

test("a store that does not let us look may let us read", async () => {
  fails("access-denied");
  await (await openInTurn(turns, open, signal)).close();
  assert.deepEqual([turns.isFull, closed], [false, 1]);
});

test("a task that is cancelled while waiting closes the store", async () => {
  const first = await openInTurn(turns, open, signal);
  const abort = new AbortController();
  const second = assert.rejects(openInTurn(turns, open, abort.signal), /enough/);
  abort.abort(new Error("enough"));
  await second;
  assert.equal(closed, 1);
  await first.close();
  assert.equal(turns.isFull, false);
});
