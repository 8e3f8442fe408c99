import {
  SnapshotCheck,
  type SnapshotContents,
  type SnapshotVerdict,
  snapshotContents,
} from "@etcd-operator/etcd-client";
import type { ObjectStore } from "@etcd-operator/object-store";
import { readMetadata } from "../../transfer/snapshot/read-metadata.ts";
import { readRange } from "../../transfer/snapshot/read-range.ts";
import type { SnapshotMetadata } from "../../transfer/snapshot/snapshot-metadata.ts";

/** What can be known of a snapshot without reading all of it. */
export interface SnapshotFacts {
  readonly sizeBytes: number;
  readonly modifiedAtMs: number;
  readonly contents: SnapshotContents;
  /** What lies beside it; undefined when nothing usable does. */
  readonly metadata: SnapshotMetadata | undefined;
}

/** Facts that only reading all of it shows. */
export interface WholeSnapshot {
  readonly sizeBytes: number;
  /** Of the file, in hexadecimal. */
  readonly sha256: string;
  readonly verdict: SnapshotVerdict;
}

/** Undefined when there is no such object. A few small pieces are read, whatever its size. */
export async function lookIntoSnapshot(
  store: ObjectStore,
  key: string,
  signal: AbortSignal,
): Promise<SnapshotFacts | undefined> {
  const object = await store.stat(key, { signal });
  if (!object) return undefined;
  const { sizeBytes, modifiedAtMs } = object;
  const contents = await snapshotContents(
    (offset, length) => readRange(store, key, { offset, length, signal }),
    sizeBytes,
  );
  return { sizeBytes, modifiedAtMs, contents, metadata: await readMetadata(store, key, signal) };
}

/** Reads a snapshot from its first byte to its last, in bounded memory. */
export async function readWholeSnapshot(
  store: ObjectStore,
  key: string,
  { signal, onProgress }: { readonly signal: AbortSignal; readonly onProgress: (bytes: number) => void },
): Promise<WholeSnapshot> {
  const check = new SnapshotCheck();
  for await (const chunk of store.get(key, { signal })) {
    check.update(chunk);
    onProgress(check.sizeBytes);
  }
  return { sizeBytes: check.sizeBytes, sha256: check.sha256(), verdict: check.verdict() };
}
