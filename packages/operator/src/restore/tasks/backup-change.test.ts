import assert from "node:assert/strict";
import { ObjectStoreError } from "@etcd-operator/object-store";
import { MemoryStore } from "@etcd-operator/testing/objectstore/memory-store.ts";
import { beforeEach, describe, test } from "vitest";
import { backupChange } from "./backup-change.ts";

const { signal } = new AbortController();
const snapshot = { path: "backups/etcd", sizeBytes: 10, sha256: "ab".repeat(32) };
let store: MemoryStore;
beforeEach(() => {
  store = new MemoryStore();
  store.objects.set("etcd", Buffer.from("the backup"));
});

const look = (verified: Partial<Parameters<typeof backupChange>[1]> = {}) =>
  backupChange(
    { store, key: "etcd", pathOf: (key) => `backups/${key}` },
    { snapshot, modifiedAtMs: undefined, ...verified },
    signal,
  );

describe("a backup that was verified", () => {
  test("and is still what it was may be restored", async () => {
    assert.equal(await look(), undefined);
    assert.equal(await look({ modifiedAtMs: (await store.stat("etcd"))?.modifiedAtMs }), undefined);
  });

  test("is found to be replaced by its size, by its time, or by what was written down beside it", async () => {
    assert.equal((await look({ snapshot: { ...snapshot, sizeBytes: 11 } }))?.reason, "Replaced");
    const change = await look({ modifiedAtMs: 1 });
    assert.match(change?.message ?? "", /^'backups\/etcd' was replaced .* since it was verified\. Create another/);
    const metadata = {
      clusterID: "1",
      etcdVersion: "3.5.16",
      revision: 1,
      sizeBytes: 10,
      sha256: "cd".repeat(32),
      takenAt: "2030-01-01T00:00:00Z",
      verifiedAt: "2030-01-01T00:00:00Z",
      backup: { namespace: "a", name: "b", uid: "c" },
    };
    store.objects.set("etcd.metadata.json", Buffer.from(JSON.stringify(metadata)));
    assert.equal((await look())?.reason, "Replaced");
  });

  test("is found to be gone", async () => {
    store.objects.delete("etcd");
    assert.equal((await look())?.reason, "NotFound");
  });

  test("is trusted where listing is not allowed, and where something saved is restored instead", async () => {
    assert.equal(await look({ snapshot: { ...snapshot, path: "backups/etcd_safety_1", sizeBytes: 3 } }), undefined);
    store.beforeCall = (call) => {
      throw new ObjectStoreError("access-denied", { operation: call, message: "no" });
    };
    assert.equal(await look(), undefined);
  });
});
