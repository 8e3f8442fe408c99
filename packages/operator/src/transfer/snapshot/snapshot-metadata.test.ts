import assert from "node:assert/strict";
import { MemoryStore } from "@etcd-operator/testing/objectstore/memory-store.ts";
import { test } from "vitest";
import { readMetadata } from "./read-metadata.ts";
import { describedKey, metadataKey, metadataText, parseMetadata, type SnapshotMetadata } from "./snapshot-metadata.ts";

const metadata: SnapshotMetadata = {
  clusterID: "cdf818194e3a8c32",
  etcdVersion: "3.5.30",
  revision: 42,
  sizeBytes: 20_512,
  sha256: "ab",
  hashKV: { revision: 42, compactRevision: -1, hash: 4_000_000_000 },
  keys: 7,
  takenAt: "2030-01-01T00:00:00.000Z",
  verifiedAt: "2030-01-01T00:00:02.000Z",
  backup: { namespace: "prod", name: "nightly", uid: "uid-1" },
};
const { signal } = new AbortController();

test("metadata is what it was when it is read again", () => {
  assert.deepEqual(parseMetadata(metadataText(metadata)), metadata);
  const { hashKV: _, keys: __, ...least } = metadata;
  assert.deepEqual(parseMetadata(metadataText(least)), least);
});

test("fields that a newer operator may add are no obstacle", () => {
  assert.deepEqual(parseMetadata(JSON.stringify({ ...metadata, color: "blue" })), metadata);
});

test.each(["", "{", "null", "[]", "{}", JSON.stringify({ ...metadata, backup: {} })])("%j is no metadata", (text) => {
  assert.equal(parseMetadata(text), undefined);
});

test("it is stored beside the object, and its key shows which", () => {
  assert.equal(metadataKey("a/b"), "a/b.metadata.json");
  assert.equal(describedKey("a/b.metadata.json"), "a/b");
  assert.equal(describedKey("a/b"), undefined);
});

test("what is not there is no failure; that the store does not answer is", async () => {
  const store = new MemoryStore();
  assert.equal(await readMetadata(store, "k", signal), undefined);
  store.objects.set(metadataKey("k"), Buffer.from(metadataText(metadata)));
  assert.deepEqual(await readMetadata(store, "k", signal), metadata);
  store.beforeCall = () => assert.fail("503");
  await assert.rejects(readMetadata(store, "k", signal), /503/);
});
