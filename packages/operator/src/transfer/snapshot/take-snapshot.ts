import type { Clock } from "@etcd-operator/kubernetes-client";
import type { ObjectStore } from "@etcd-operator/object-store";
import type { TakeDirectly } from "../direct/take-directly.ts";
import type { ChosenMember } from "./choose-member.ts";
import { keyFigures } from "./key-figures.ts";
import { compareStored, type Sent } from "./read-back.ts";
import { readRevision } from "./read-revision.ts";
import { metadataKey, metadataText, type SnapshotMetadata } from "./snapshot-metadata.ts";
import { streamToStore } from "./stream-to-store.ts";

export interface SnapshotRequest {
  readonly member: ChosenMember;
  readonly store: ObjectStore;
  /** Where the store's own end can get the snapshot itself. */
  readonly takeDirectly?: TakeDirectly | undefined;
  readonly key: string;
  /**
   * Whether what was stored and turned out to be no good is removed again: only where nothing else can lie under the
   * key.
   */
  readonly isKeyNew?: boolean;
  /** The EtcdBackup or EtcdRestore that it is for. */
  readonly backup: SnapshotMetadata["backup"];
  readonly clock: Clock;
  /** Throws when this process may not write any more. */
  readonly fence: (operation: string) => void;
  readonly onProgress: (progress: SnapshotProgress) => void;
}

export interface SnapshotProgress {
  readonly step: string;
  readonly bytes?: number;
  readonly totalBytes?: number;
}

/**
 * Streams a member's snapshot into a store, verifies the stored object, and then writes metadata beside it. Nothing is
 * kept on the way. What a failure leaves behind bears no metadata; under a new key it is removed as far as the store
 * lets us.
 */
export async function takeSnapshot(request: SnapshotRequest, signal: AbortSignal): Promise<SnapshotMetadata> {
  const takenAtMs = request.clock.now();
  try {
    const sent = await streamToStore(request, signal);
    return await verify(request, sent, takenAtMs, signal);
  } catch (error) {
    // Also when all is being cancelled, or when only the store's answer was lost.
    if (request.isKeyNew) await request.store.delete(request.key).catch(() => undefined);
    throw error;
  }
}

async function verify(
  request: SnapshotRequest,
  sent: Sent,
  takenAtMs: number,
  signal: AbortSignal,
): Promise<SnapshotMetadata> {
  const { member, store, key, clock, fence, onProgress } = request;
  const { sizeBytes, sha256 } = sent;
  onProgress({ step: "Checking what was stored", bytes: sizeBytes, totalBytes: sizeBytes });
  await compareStored(store, key, sent, signal);
  const revision = await readRevision({ store, key, sizeBytes, atLeast: member.status.revision }, signal);
  const metadata: SnapshotMetadata = {
    clusterID: member.status.clusterId.toString(16),
    etcdVersion: member.status.version,
    revision,
    sizeBytes,
    sha256,
    ...(await keyFigures(member, revision, signal)),
    takenAt: new Date(takenAtMs).toISOString(),
    verifiedAt: new Date(clock.now()).toISOString(),
    backup: request.backup,
  };
  fence(`writing '${metadataKey(key)}'`);
  await store.put(metadataKey(key), only(metadataText(metadata)), { signal });
  return metadata;
}

async function* only(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
