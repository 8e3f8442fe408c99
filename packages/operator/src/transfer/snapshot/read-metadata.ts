import type { ObjectStore } from "@etcd-operator/object-store";
import { ObjectStoreError } from "@etcd-operator/object-store";
import { readRange } from "./read-range.ts";
import { metadataKey, parseMetadata, type SnapshotMetadata } from "./snapshot-metadata.ts";

/** More than we ever write. */
const LONGEST = 64 * 1024;

/** What lies beside an object; undefined when nothing does that we wrote. */
export async function readMetadata(
  store: Pick<ObjectStore, "get">,
  key: string,
  signal: AbortSignal,
): Promise<SnapshotMetadata | undefined> {
  try {
    const bytes = await readRange(store, metadataKey(key), { offset: 0, length: LONGEST, signal });
    return parseMetadata(Buffer.from(bytes).toString("utf8"));
  } catch (error) {
    if (error instanceof ObjectStoreError && error.code === "not-found") return undefined;
    throw error;
  }
}
