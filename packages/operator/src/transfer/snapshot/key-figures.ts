import { EtcdError } from "@etcd-operator/etcd-client";
import type { ChosenMember } from "./choose-member.ts";
import type { SnapshotMetadata } from "./snapshot-metadata.ts";

// While a member computes the hash it applies nothing: a fraction of a second for this much, many seconds for
// gigabytes.
const LARGEST_TO_HASH_BYTES = 256 * 1024 * 1024;
const TIMEOUT_MS = 10_000;

/**
 * How many keys there are at a revision, and their hash, as the member reports. Recorded so that a restore of the
 * snapshot can compare, but not worth failing for: the revision may be compacted by now, or the member gone.
 */
export async function keyFigures(
  { client, status }: ChosenMember,
  revision: number,
  signal: AbortSignal,
): Promise<Pick<SnapshotMetadata, "hashKV" | "keys">> {
  const options = { timeoutMs: TIMEOUT_MS, signal };
  const everything = { key: "\0", rangeEnd: "\0", countOnly: true, revision: BigInt(revision), serializable: true };
  const isSmall = status.dbSizeBytes <= LARGEST_TO_HASH_BYTES;
  const [counted, hashed] = await Promise.all([
    ifTold(client.range(everything, options)),
    isSmall ? ifTold(client.hashKeyValues(BigInt(revision), options)) : undefined,
  ]);
  signal.throwIfAborted();
  return {
    ...(counted && { keys: counted.count }),
    ...(hashed && {
      hashKV: {
        revision: Number(hashed.revision),
        compactRevision: Number(hashed.compactRevision),
        hash: hashed.hash,
      },
    }),
  };
}

async function ifTold<Answer>(asked: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof EtcdError) return undefined;
    throw error;
  }
}
