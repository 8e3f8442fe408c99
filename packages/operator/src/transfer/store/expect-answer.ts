import { ObjectStoreError } from "@etcd-operator/object-store";
import type { OpenBackupStore } from "./open-backup-store.ts";

/**
 * Throws when the store is unavailable, or rejects us: a stream that is bound to fail would keep others busy, or
 * waiting, for nothing.
 */
export async function expectAnswer(
  { store, key }: Pick<OpenBackupStore, "store" | "key">,
  signal: AbortSignal,
): Promise<void> {
  try {
    await store.stat(key, { signal });
  } catch (error) {
    // Some credentials may read or write, but not list.
    if (!(error instanceof ObjectStoreError) || error.code !== "access-denied") throw error;
  }
}
