import { messageOf } from "@etcd-operator/kubernetes-client";
import type { ObjectStore } from "@etcd-operator/object-store";
import { eachAtOnce } from "../../transfer/snapshot/each-at-once.ts";
import { readMetadata } from "../../transfer/snapshot/read-metadata.ts";
import { describedKey, metadataKey } from "../../transfer/snapshot/snapshot-metadata.ts";
import type { Pruning } from "../observation.ts";
import { type PeriodicBackup, parsePeriodicKey, periodicPrefix } from "./periodic-keys.ts";
import { outdatedBackups, type Retention } from "./retention.ts";

export interface PruneRequest {
  readonly store: ObjectStore;
  /** The key that the spec names. */
  readonly key: string;
  readonly retention: Retention;
  /** The EtcdBackup. Its UID does not count: an EtcdBackup that is created again continues the series. */
  readonly backup: { readonly namespace: string; readonly name: string };
  readonly nowMs: number;
  readonly pathOf: (key: string) => string;
  /** Throws when this process may not write any more. */
  readonly fence: (operation: string) => void;
  /**
   * Throws when the EtcdBackup is not what it was when the run began: another operator may have it, or the user keeps
   * more by now.
   */
  readonly unchanged: (signal: AbortSignal) => Promise<void>;
}

const AT_ONCE = 8;

/**
 * Removes the backups that need not be kept. After a failure it tries again, since the next run may be a day away.
 * What it cannot remove then it will find again next time, so a failure is only reported: the new backup exists all the
 * same.
 */
export async function prune(request: PruneRequest, signal: AbortSignal): Promise<Pruning> {
  const removed: string[] = [];
  try {
    const isOver = await removeOutdated(request, removed, signal).then(
      () => true,
      () => false,
    );
    if (!isOver) await removeOutdated(request, removed, signal);
    return { removed };
  } catch (error) {
    const why = messageOf(error);
    return { removed, failure: `Could not remove old backups: ${why}` };
  }
}

async function removeOutdated(request: PruneRequest, removed: string[], signal: AbortSignal): Promise<void> {
  const { store, retention, nowMs, fence, unchanged, pathOf } = request;
  const { verified, leftovers } = await found(request, signal);
  // Most of the time nothing has to be deleted, and then nothing has to be read.
  const isWorthALook = outdatedBackups(verified, retention, nowMs).length > 0;
  const ours = isWorthALook ? await ownedBy(request, verified, signal) : [];
  await eachAtOnce(outdatedBackups(ours, retention, nowMs), AT_ONCE, async ({ key }) => {
    await unchanged(signal);
    fence(`removing '${key}'`);
    // In this order: a leftover is then metadata without an object, which misleads no reader and is removed next time.
    await store.delete(key, { signal });
    removed.push(pathOf(key));
    await store.delete(metadataKey(key), { signal });
  });
  await eachAtOnce(await ownedBy(request, leftovers, signal), AT_ONCE, async ({ key }) => {
    // A list is no picture of one moment: the object may have come after its place in it was passed.
    if (await store.stat(key, { signal })) return;
    await unchanged(signal);
    fence(`removing '${metadataKey(key)}'`);
    await store.delete(metadataKey(key), { signal });
  });
}

interface Found {
  readonly verified: readonly PeriodicBackup[];
  /** Metadata without its object. */
  readonly leftovers: readonly PeriodicBackup[];
}

async function found({ store, key }: PruneRequest, signal: AbortSignal): Promise<Found> {
  const objects = new Map<string, PeriodicBackup>();
  const described = new Map<string, PeriodicBackup>();
  for await (const each of store.list(periodicPrefix(key), { signal })) {
    const subject = describedKey(each.key);
    const backup = parsePeriodicKey(key, subject ?? each.key);
    if (backup) (subject === undefined ? objects : described).set(backup.key, backup);
  }
  const both = [...described.values()];
  return {
    verified: both.filter((backup) => objects.has(backup.key)),
    leftovers: both.filter((backup) => !objects.has(backup.key)),
  };
}

/** Those whose metadata says that this EtcdBackup, or one of its name before it, took them. */
async function ownedBy(
  { store, backup }: PruneRequest,
  candidates: readonly PeriodicBackup[],
  signal: AbortSignal,
): Promise<PeriodicBackup[]> {
  const ours: PeriodicBackup[] = [];
  await eachAtOnce(candidates, AT_ONCE, async (candidate) => {
    const { backup: by, clusterID } = (await readMetadata(store, candidate.key, signal)) ?? {};
    if (by?.namespace !== backup.namespace || by.name !== backup.name) return;
    ours.push({ ...candidate, ...(clusterID !== undefined && { clusterID }) });
  });
  return ours;
}
