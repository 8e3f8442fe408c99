import assert from "node:assert/strict";
import { SnapshotCheck } from "@etcd-operator/etcd-client";
import type { ObjectStore } from "@etcd-operator/object-store";
import {
  describedKey,
  metadataKey,
  parseMetadata,
  type SnapshotMetadata,
} from "@etcd-operator/operator/transfer/snapshot/snapshot-metadata.ts";

export interface StoredBackup {
  readonly key: string;
  readonly metadata: SnapshotMetadata;
}

/**
 * All that lies below a prefix, read from beginning to end; throws unless each is a complete snapshot and matches its
 * metadata.
 */
export async function storedBackups(store: ObjectStore, prefix: string): Promise<readonly StoredBackup[]> {
  const keys = await keysIn(store, prefix);
  const objects = keys.filter((key) => describedKey(key) === undefined);
  assert.deepEqual(
    keys,
    [...objects, ...objects.map(metadataKey)].sort(),
    "each object has metadata, and there is no more",
  );
  return Promise.all(objects.map((key) => readWhole(store, key)));
}

export async function keysIn(store: ObjectStore, prefix: string): Promise<readonly string[]> {
  const keys: string[] = [];
  for await (const { key } of store.list(prefix)) keys.push(key);
  return keys.sort();
}

async function readWhole(store: ObjectStore, key: string): Promise<StoredBackup> {
  const check = new SnapshotCheck();
  for await (const chunk of store.get(key)) check.update(chunk);
  const metadata = parseMetadata(await textOf(store, metadataKey(key)));
  assert.ok(metadata, `${key} has metadata that can be read`);
  assert.deepEqual(
    [check.verdict(), check.sizeBytes, check.sha256()],
    ["ok", metadata.sizeBytes, metadata.sha256],
    `${key} is what its metadata says`,
  );
  return { key, metadata };
}

async function textOf(store: ObjectStore, key: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of store.get(key)) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
