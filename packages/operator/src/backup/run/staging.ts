import type { ObjectStore } from "@etcd-operator/object-store";
import { ObjectStoreError } from "@etcd-operator/object-store";
import { metadataKey } from "../../transfer/snapshot/snapshot-metadata.ts";

/** Whether a backup would replace an object. Where the store does not say for lack of rights, it may. */
export async function isTaken(store: ObjectStore, key: string, signal: AbortSignal): Promise<boolean> {
  try {
    return (await store.stat(key, { signal })) !== undefined;
  } catch (error) {
    if (error instanceof ObjectStoreError && error.code === "access-denied") return true;
    throw error;
  }
}

/** Where a backup lies until it is verified and may replace what lies under `key`; never the name of a periodic one. */
export function stagingKey(key: string, uid: string, nowMs: number): string {
  return `${stagingPrefix(key, uid)}${nowMs}`;
}

/** The first part of the EtcdBackup's UID keeps those of other EtcdBackups with the same key apart. */
function stagingPrefix(key: string, uid: string): string {
  return `${key}_new_${uid.slice(0, 8)}_`;
}

/**
 * Removes what this and earlier runs of an EtcdBackup put beside a key that holds a verified backup now; as far as the
 * store lets us.
 */
export async function removeStaged(
  store: ObjectStore,
  { key, uid, newest }: { readonly key: string; readonly uid: string; readonly newest: string },
  signal: AbortSignal,
): Promise<void> {
  const prefix = stagingPrefix(key, uid);
  try {
    // Also where we may not list.
    await removeBoth(store, newest, signal);
    const found: string[] = [];
    for await (const object of store.list(prefix, { signal })) found.push(object.key);
    const staged = found.filter((other) => /^[0-9]+$/.test(other.slice(prefix.length)));
    for (const each of staged) await removeBoth(store, each, signal);
  } catch (error) {
    if (!(error instanceof ObjectStoreError) || error.code === "aborted") throw error;
  }
}

async function removeBoth(store: ObjectStore, key: string, signal: AbortSignal): Promise<void> {
  await store.delete(metadataKey(key), { signal });
  await store.delete(key, { signal });
}
