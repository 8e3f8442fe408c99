import * as z from "zod";

const hashOfKeys = z.object({
  /** Up to which revision. */
  revision: z.int().min(0),
  /** From which on: the same keys have another hash after a compaction. -1 when there was none. */
  compactRevision: z.int(),
  hash: z.int().min(0),
});

const snapshotMetadata = z.object({
  clusterID: z.string(),
  /** Of the member that it comes from. */
  etcdVersion: z.string(),
  /** The newest in it. */
  revision: z.int().min(0),
  sizeBytes: z.int().min(0),
  /** Of the file, in hexadecimal. */
  sha256: z.string(),
  /** As etcd computes it; absent where that was not to be had. */
  hashKV: hashOfKeys.optional(),
  /** How many keys there are at its revision; absent where unknown. */
  keys: z.int().min(0).optional(),
  takenAt: z.string(),
  verifiedAt: z.string(),
  /** The EtcdBackup or EtcdRestore that it was taken for. */
  backup: z.object({ namespace: z.string(), name: z.string(), uid: z.string() }),
});

/** What is known of a stored snapshot. It lies beside it, and is written only after the snapshot was verified. */
export type SnapshotMetadata = z.output<typeof snapshotMetadata>;

const SUFFIX = ".metadata.json";

/** Where the metadata of an object lies. */
export function metadataKey(key: string): string {
  return `${key}${SUFFIX}`;
}

/** The key of the object that this is the metadata of; undefined when it is none. */
export function describedKey(key: string): string | undefined {
  return key.endsWith(SUFFIX) ? key.slice(0, -SUFFIX.length) : undefined;
}

export function metadataText(metadata: SnapshotMetadata): string {
  return `${JSON.stringify(metadata, undefined, 2)}\n`;
}

/** Undefined for what is no metadata of ours. */
export function parseMetadata(text: string): SnapshotMetadata | undefined {
  try {
    return snapshotMetadata.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
