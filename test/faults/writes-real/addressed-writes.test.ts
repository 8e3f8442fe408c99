import assert from "node:assert/strict";
import { ANNOTATIONS } from "@etcd-operator/operator/cluster/objects/annotations.ts";
import { test } from "vitest";
import { AddressedWrites } from "./addressed-writes.ts";

const STATUS = "PUT etcdclusters/status";
const bodyOf = (status: object) => JSON.stringify({ status });

test("a write is named after its kind and how many of it there were", () => {
  const writes = new AddressedWrites();
  for (const what of ["POST pods", "addMember", "PATCH pods/status", "POST pods", "store put"]) writes.next(what);
  assert.deepEqual(writes.sent, ["post-pods-1", "add-member-1", "patch-pods-status-1", "post-pods-2", "store-put-1"]);
});

test("a status that records something is named after that, whatever was reported before", () => {
  for (const words of [0, 1, 3]) {
    const writes = new AddressedWrites();
    const intents = { memberIntents: [{ name: "a-1" }] };
    writes.next(STATUS, bodyOf(intents));
    for (let told = 0; told < words; told += 1) writes.next(STATUS, bodyOf({ ...intents, size: told }));
    writes.next(STATUS, bodyOf({ ...intents, clusterID: "1" }));
    writes.next(STATUS, bodyOf({ clusterID: "1" }));
    const named = writes.sent.filter((write) => !write.startsWith("word"));
    assert.deepEqual(named, ["intents-1", "record-1", "intents-2"]);
  }
});

test("a status whose keys come in another order records nothing", () => {
  const writes = new AddressedWrites();
  writes.next(STATUS, bodyOf({ memberIntents: [{ name: "a-1", purpose: "Join" }] }));
  writes.next(STATUS, bodyOf({ memberIntents: [{ purpose: "Join", name: "a-1" }] }));
  assert.deepEqual(writes.sent, ["intents-1", "word-1-after-intents-1"]);
});

test("a status that only reports is named after the write before it", () => {
  const writes = new AddressedWrites();
  for (const what of [STATUS, "POST pods", STATUS, STATUS, "PATCH pods", STATUS]) writes.next(what, bodyOf({}));
  const words = writes.sent.filter((write) => write.startsWith("word"));
  assert.deepEqual(words, [
    "word-1-after-begin",
    "word-1-after-post-pods-1",
    "word-2-after-post-pods-1",
    "word-1-after-patch-pods-1",
  ]);
});

test("how far a log has got is noted in between, and other writes keep their names", () => {
  const writes = new AddressedWrites();
  const bodyWith = (...keys: string[]) =>
    JSON.stringify({ metadata: { uid: "1", annotations: Object.fromEntries(keys.map((key) => [key, "1"])) } });
  writes.next("POST pods");
  writes.next("PATCH pods", bodyWith("etcd.database.coreos.com/log-reached"));
  writes.next(STATUS, bodyOf({}));
  writes.next("PATCH pods", bodyWith("etcd.database.coreos.com/member-id", "etcd.database.coreos.com/cluster-id"));
  assert.deepEqual(writes.sent, ["post-pods-1", "note-pods-1", "word-1-after-post-pods-1", "patch-pods-1"]);
});

test("the fault happens to the write that it is for, once, and Events are no writes", () => {
  const writes = new AddressedWrites({ write: "post-pods-2", fault: "error" });
  const faults = ["POST pods", "POST events", "POST pods", "POST pods"].map((what) => writes.next(what));
  assert.deepEqual(faults, [undefined, undefined, "error", undefined]);
  assert.deepEqual(writes.sent, ["post-pods-1", "post-pods-2", "post-pods-3"]);
  assert.ok(writes.faultMs !== undefined);
});

test("what a later EtcdCluster has to know is a note on a claim; which member it holds is none", () => {
  const writes = new AddressedWrites();
  const on = (...keys: readonly string[]) => {
    const annotations = Object.fromEntries(keys.map((key) => [key, "x"]));
    writes.next("PATCH persistentvolumeclaims", JSON.stringify({ metadata: { annotations } }));
  };
  on(ANNOTATIONS.leaving);
  on(ANNOTATIONS.clusterRecord, ANNOTATIONS.leaving);
  on(ANNOTATIONS.memberId, ANNOTATIONS.clusterRecord);
  assert.deepEqual(writes.sent, [
    "note-persistentvolumeclaims-1",
    "note-persistentvolumeclaims-2",
    "patch-persistentvolumeclaims-1",
  ]);
});
