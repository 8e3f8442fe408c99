import { createHash } from "node:crypto";
import type { Version } from "@etcd-operator/etcd-client";
import { fnv64a } from "@etcd-operator/etcd-client/snapshot/bolt-meta.ts";
import { type AppliedState, keysFrom } from "./applied-state.ts";

/** What a snapshot holds of the keys. */
export interface SnapshotKeys {
  readonly revision: bigint;
  readonly keys: AppliedState["keys"]["newest"];
}

const PAGE = 512;
const HASH_BYTES = 32;
const LEAF = 2;
/** The two that describe the file, that of free pages, the root. The keys come after them, in a form of our own. */
const ROOT_PAGE = 3;
const KEYS_PAGE = 4;

/**
 * A file that passes for a snapshot of etcd wherever one is looked into: pages of bbolt, and at its end the hash of
 * all.
 */
export function snapshotOf({ keys, minor }: AppliedState, version: Version): Uint8Array {
  const text = JSON.stringify({
    revision: String(keys.revision),
    keys: [...keys.newest].map(([key, { value, createRevision, modRevision, version: writes }]) => [
      ...[key, Buffer.from(value).toString("latin1")],
      ...[createRevision, modRevision, writes].map(String),
    ]),
  });
  const content = Buffer.from(text, "utf8");
  const pages = KEYS_PAGE + Math.ceil((content.length + 4) / PAGE);
  const file = Buffer.alloc(pages * PAGE + HASH_BYTES);
  for (const page of [0, 1]) writeMeta(file, page, pages);
  const meta = version.minor >= 6 && minor !== undefined ? { storageVersion: `3.${minor}.0` } : {};
  const root = leaf([
    ["cluster", bucket(minor === undefined ? {} : { clusterVersion: `3.${minor}.0` }), true],
    ["key", inline([[revisionKey(keys.revision), Buffer.alloc(0), false]]), true],
    ["meta", bucket(meta), true],
  ]);
  root.copy(file, ROOT_PAGE * PAGE);
  file.writeBigUInt64LE(BigInt(ROOT_PAGE), ROOT_PAGE * PAGE);
  file.writeUInt32LE(content.length, KEYS_PAGE * PAGE);
  content.copy(file, KEYS_PAGE * PAGE + 4);
  createHash("sha256")
    .update(file.subarray(0, -HASH_BYTES))
    .digest()
    .copy(file, pages * PAGE);
  return file;
}

/** The keys of a snapshot that `snapshotOf` made; undefined for anything else. */
export function keysIn(file: Uint8Array): SnapshotKeys | undefined {
  const bytes = Buffer.from(file);
  try {
    const length = bytes.readUInt32LE(KEYS_PAGE * PAGE);
    const text = bytes.toString("utf8", KEYS_PAGE * PAGE + 4, KEYS_PAGE * PAGE + 4 + length);
    const { revision, keys } = JSON.parse(text) as {
      revision: string;
      keys: [string, string, string, string, string][];
    };
    const entries = keys.map(([key, value, created, modified, writes]) => {
      const revisions = { createRevision: BigInt(created), modRevision: BigInt(modified), version: BigInt(writes) };
      const bytesOf = { key: Buffer.from(key, "latin1"), value: Buffer.from(value, "latin1") };
      return [key, { ...bytesOf, ...revisions, lease: 0n }] as const;
    });
    return { revision: BigInt(revision), keys: new Map(entries) };
  } catch {
    return undefined;
  }
}

/** The keys with which a restored cluster begins. */
export function restoredKeys({ revision, keys }: SnapshotKeys, bump: bigint, isCompacted: boolean) {
  const newest = revision + bump;
  return keysFrom(new Map(keys), newest, isCompacted ? newest : 0n);
}

function writeMeta(file: Buffer, page: number, pages: number): void {
  const at = page * PAGE + 16;
  file.writeUInt32LE(0xed0cdaed, at);
  file.writeUInt32LE(2, at + 4);
  file.writeUInt32LE(PAGE, at + 8);
  file.writeBigUInt64LE(BigInt(ROOT_PAGE), at + 16);
  file.writeBigUInt64LE(2n, at + 32);
  file.writeBigUInt64LE(BigInt(pages), at + 40);
  file.writeBigUInt64LE(BigInt(page), at + 48);
  file.writeBigUInt64LE(fnv64a(file.subarray(at, at + 56)), at + 56);
}

type Element = readonly [key: string | Buffer, value: Buffer, isBucket: boolean];

/** A page with keys and values, in the order of the keys. */
function leaf(elements: readonly Element[]): Buffer {
  const header = Buffer.alloc(16 + elements.length * 16);
  header.writeUInt16LE(LEAF, 8);
  header.writeUInt16LE(elements.length, 10);
  const parts: Buffer[] = [header];
  let end = header.length;
  for (const [index, [key, value, isBucket]] of elements.entries()) {
    const [at, name] = [16 + index * 16, Buffer.from(key)];
    header.writeUInt32LE(isBucket ? 1 : 0, at);
    header.writeUInt32LE(end - at, at + 4);
    header.writeUInt32LE(name.length, at + 8);
    header.writeUInt32LE(value.length, at + 12);
    parts.push(name, value);
    end += name.length + value.length;
  }
  return Buffer.concat(parts);
}

/** A bucket that lies inside the value which stands for it. */
function inline(elements: readonly Element[]): Buffer {
  return Buffer.concat([Buffer.alloc(16), leaf(elements)]);
}

function bucket(values: Readonly<Record<string, string>>): Buffer {
  return inline(Object.entries(values).map(([key, value]) => [key, Buffer.from(value), false]));
}

function revisionKey(revision: bigint): Buffer {
  const key = Buffer.alloc(17);
  key.writeBigUInt64BE(revision, 0);
  key.write("_", 8);
  return key;
}
