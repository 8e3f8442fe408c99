import { ObjectStoreError } from "@etcd-operator/object-store";
import type { OpenBackupStore } from "./open-backup-store.ts";

/** Throws when the store is not there, or does not accept us: who streams all the same keeps others busy, or waiting, for nothing. */
export async function expectAnswer(
  { store, key }: Pick<OpenBackupStore, "store" | "key">,
  signal: AbortSignal,
): Promise<void> {
  try {
    await store.stat(key, { signal });
  } catch (error) {
    // Some may read or write, but not look.
    if (!(error instanceof ObjectStoreError) || error.code !== "access-denied") throw error;
  }
}
