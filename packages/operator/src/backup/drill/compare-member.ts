import type { EtcdClient } from "@etcd-operator/etcd-client";
import { EtcdError } from "@etcd-operator/etcd-client";
import type { SnapshotMetadata } from "../../transfer/snapshot/snapshot-metadata.ts";

/** What a restored member has, beside what was noted when its snapshot was taken. */
export interface MemberFigures {
  readonly revision: number;
  /** Undefined where etcd requires authentication. */
  readonly keys: number | undefined;
  /** What is not as it should be, one line each. */
  readonly differences: readonly string[];
}

type Asked = Pick<EtcdClient, "status" | "range" | "hashKeyValues">;

const TIMEOUT_MS = 60_000;

/**
 * Keys are counted and hashed at the revision of the snapshot: leases that run out after the restore delete keys at
 * newer ones. The hash covers what was not compacted, so two of them mean something only if compacted up to the same
 * revision.
 */
export async function compareMember(
  client: Asked,
  noted: SnapshotMetadata,
  signal: AbortSignal,
): Promise<MemberFigures> {
  const options = { timeoutMs: TIMEOUT_MS, signal };
  const everything = { key: "\0", rangeEnd: "\0", countOnly: true, revision: BigInt(noted.revision) };
  const revision = Number((await client.status(options)).revision);
  if (revision < noted.revision) {
    const difference = `it is at revision ${revision}, but ${noted.revision} was recorded`;
    return { revision, keys: undefined, differences: [difference] };
  }
  const counted = await unlessForUsers(client.range(everything, options));
  const hashed = noted.hashKV && (await unlessForUsers(client.hashKeyValues(BigInt(noted.hashKV.revision), options)));
  const keys = counted?.count;
  return {
    revision,
    keys,
    differences: [
      ...(keys !== undefined && noted.keys !== undefined && keys !== noted.keys
        ? [`it has ${keys} keys, but ${noted.keys} were recorded`]
        : []),
      ...(hashed &&
      Number(hashed.compactRevision) === noted.hashKV?.compactRevision &&
      hashed.hash !== noted.hashKV.hash
        ? [`its keys have the hash ${hashed.hash}, but ${noted.hashKV.hash} was recorded`]
        : []),
    ],
  };
}

/** With authentication in its data a restored member answers only its users, and we are none. */
async function unlessForUsers<Answer>(asked: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof EtcdError && error.code === "auth") return undefined;
    throw error;
  }
}
