import { snapshotContents } from "@etcd-operator/etcd-client";
import type { ObjectStore } from "@etcd-operator/object-store";
import { readRange } from "./read-range.ts";
import { SnapshotError } from "./snapshot-error.ts";

interface StoredFile {
  readonly store: ObjectStore;
  readonly key: string;
  readonly sizeBytes: number;
  /** What the member had before it began to send. */
  readonly atLeast: bigint;
}

/** The newest revision in a stored snapshot, read from the few pages that have it. */
export async function readRevision(file: StoredFile, signal: AbortSignal): Promise<number> {
  const { store, key, sizeBytes, atLeast } = file;
  const read = (offset: number, length: number) => readRange(store, key, { offset, length, signal });
  const contents = await snapshotContents(read, sizeBytes);
  const where = `object '${key}' in ${store.description}`;
  if (contents.kind === "no-database") {
    throw new SnapshotError("damaged", `${where} is not an etcd database: ${contents.why}`);
  }
  if (BigInt(contents.revision) < atLeast) {
    const message = `${where} ends at revision ${contents.revision}, but its member was already at ${atLeast} before it was taken`;
    throw new SnapshotError("damaged", message);
  }
  return contents.revision;
}
