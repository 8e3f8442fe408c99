import { setTimeout as pause } from "node:timers/promises";
import type { EtcdClient } from "@etcd-operator/etcd-client";
import type { ObjectStore } from "./object-store.ts";

const EVERY_MS = 5 * 60_000;

/**
 * Forgets, every five minutes, what was overwritten more than ten minutes ago: long enough for a list to be paged
 * through and for a watch to be taken up again, short enough for the store to stay small.
 */
export async function compactRegularly(etcd: EtcdClient, store: ObjectStore, signal: AbortSignal): Promise<void> {
  const revisions: bigint[] = [];
  while (!signal.aborted) {
    try {
      const [old, ...rest] = revisions;
      if (old !== undefined && rest.length > 0) {
        revisions.shift();
        await etcd.compact(old);
      }
      revisions.push(await store.revision());
    } catch {
      // The store is away, or someone else has compacted: the next round looks again.
    }
    await pause(EVERY_MS, undefined, { signal }).catch(() => {});
  }
}
