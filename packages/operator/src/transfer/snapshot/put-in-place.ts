import { createHash } from "node:crypto";
import type { ObjectStore } from "@etcd-operator/object-store";
import { PieceSums } from "./piece-sums.ts";
import { compareStored } from "./read-back.ts";
import { SnapshotError } from "./snapshot-error.ts";
import { metadataKey, metadataText, type SnapshotMetadata } from "./snapshot-metadata.ts";
import { makeRoomFor } from "./stream-to-store.ts";
import type { SnapshotProgress } from "./take-snapshot.ts";

export interface Placing {
  readonly store: ObjectStore;
  /** Where the snapshot lies that was verified. */
  readonly from: string;
  /** Where an older object lies that it replaces. */
  readonly to: string;
  readonly metadata: SnapshotMetadata;
  readonly fence: (operation: string) => void;
  readonly onProgress: (progress: SnapshotProgress) => void;
}

/**
 * Puts a verified snapshot in the place of an older one. What is replaced may be the only other backup, so the verified
 * one stays beside it until what lies in the store under the final key has been compared with it, too.
 */
export async function putInPlace(placing: Placing, signal: AbortSignal): Promise<void> {
  const { store, to, from, metadata, fence, onProgress } = placing;
  const { sizeBytes, sha256 } = metadata;
  const sums = new PieceSums(sizeBytes);
  const hash = createHash("sha256");
  const onSent = (bytes: number) => onProgress({ step: "Replacing the older backup", bytes, totalBytes: sizeBytes });
  onSent(0);
  await makeRoomFor({ store, key: to, fence }, signal);
  try {
    await store.put(to, passed(store.get(from, { signal }), [sums, hash]), {
      signal,
      expectedBytes: sizeBytes,
      onProgress: onSent,
    });
    if (hash.digest("hex") !== sha256)
      throw new SnapshotError("not-as-sent", `object '${from}' was changed during the copy`);
    await compareStored(store, to, { sizeBytes, sha256, pieces: sums.pieces() }, signal);
  } catch (error) {
    throw keptAt(from, error);
  }
  await store.put(metadataKey(to), passed([Buffer.from(metadataText(metadata))], []), { signal });
}

async function* passed(
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  through: readonly { update(chunk: Uint8Array): unknown }[],
): AsyncGenerator<Uint8Array> {
  for await (const chunk of bytes) {
    for (const each of through) each.update(chunk);
    yield chunk;
  }
}

function keptAt(key: string, error: unknown): unknown {
  if (!(error instanceof SnapshotError)) return error;
  return new SnapshotError(error.code, `${error.message}; the verified backup is stored as '${key}'`);
}
