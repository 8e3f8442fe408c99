import { type Bolt, type Bucket, bucketIn, lastKeyIn, rootBucket, valueIn } from "./bolt-bucket.ts";
import { BoltDefect, BoltFile, type ReadRange } from "./bolt-file.ts";
import { boltMeta } from "./bolt-meta.ts";

/** What a snapshot file is a snapshot of. */
export type SnapshotContents =
  | {
      readonly kind: "database";
      /** The newest; what is restored from it begins there. */
      readonly revision: number;
      /** Such as "3.5.0": the minor that its cluster spoke. Absent when that was too young to have agreed on one. */
      readonly clusterVersion?: string;
      /** Such as "3.6.0": the oldest minor that can read it. Absent before 3.6. */
      readonly storageVersion?: string;
      readonly pageSize: number;
      /** The file without its hash. */
      readonly databaseBytes: number;
    }
  | {
      readonly kind: "no-database";
      /** Goes on from "it is no database of etcd: ". */
      readonly why: string;
    };

/**
 * Looks into a snapshot, or any other file of bbolt's format, without having all of it: a handful of pieces of it are
 * read, whatever its size and whatever it says. It does not replace the check of its hash. What `read` throws is passed
 * on.
 */
export async function snapshotContents(read: ReadRange, sizeBytes: number): Promise<SnapshotContents> {
  try {
    const file = new BoltFile(read, sizeBytes);
    const bolt = { file, meta: await boltMeta(file) };
    return await contentsOf(bolt);
  } catch (error) {
    if (error instanceof BoltDefect) return { kind: "no-database", why: error.message };
    throw error;
  }
}

async function contentsOf(bolt: Bolt): Promise<SnapshotContents> {
  const root = await rootBucket(bolt);
  const revision = await newestRevision(bolt, root);
  const clusterVersion = await versionIn(bolt, root, "cluster", "clusterVersion");
  const storageVersion = await versionIn(bolt, root, "meta", "storageVersion");
  const { pageSize, pages } = bolt.meta;
  return {
    kind: "database",
    revision,
    ...(clusterVersion && { clusterVersion }),
    ...(storageVersion && { storageVersion }),
    pageSize,
    databaseBytes: pages * pageSize,
  };
}

/** A store without any key is at this revision. */
const FIRST_REVISION = 1;

async function newestRevision(bolt: Bolt, root: Bucket): Promise<number> {
  const keys = await bucketIn(bolt, root, "key");
  if (!keys) throw new BoltDefect("it has no bucket 'key'");
  const last = await lastKeyIn(bolt, keys);
  // A compaction takes even the newest entry away when that is a deletion; etcd goes on from where it compacted then.
  const meta = await bucketIn(bolt, root, "meta");
  const compacted = meta && (await valueIn(bolt, meta, "finishedCompactRev"));
  const revisions = [last, compacted].filter((bytes) => bytes !== undefined).map(mainRevision);
  return Math.max(FIRST_REVISION, ...revisions);
}

const UNDERSCORE = 0x5f;

/**
 * etcd writes a revision as two numbers of eight bytes with a '_' between them, and marks a deletion with one byte
 * more.
 */
function mainRevision(bytes: Uint8Array): number {
  const isRevision = (bytes.length === 17 || bytes.length === 18) && bytes[8] === UNDERSCORE;
  if (!isRevision) throw new BoltDefect("its newest key is no revision");
  const revision = new DataView(bytes.buffer, bytes.byteOffset).getBigInt64(0);
  if (revision < 0n) throw new BoltDefect("its newest key is no revision");
  if (revision > BigInt(Number.MAX_SAFE_INTEGER))
    throw new BoltDefect(`its revision ${revision} is above 2^53: no backup can record it`);
  return Number(revision);
}

async function versionIn(bolt: Bolt, root: Bucket, bucket: string, key: string): Promise<string | undefined> {
  const found = await bucketIn(bolt, root, bucket);
  const value = found && (await valueIn(bolt, found, key));
  if (!value) return undefined;
  const text = Buffer.from(value).toString("utf8");
  if (!/^\d{1,5}\.\d{1,5}\.\d{1,5}$/.test(text)) throw new BoltDefect(`its '${key}' is no version`);
  return text;
}
