import type { EtcdClient } from "@etcd-operator/etcd-client";
import type { Entry } from "./entry.ts";
import type { ObjectStore } from "./object-store.ts";
import { WatchCache } from "./watch-cache.ts";

/** One cache per resource, made at its first use. */
export class WatchCaches {
  readonly #store: ObjectStore;
  readonly #etcd: EtcdClient;
  readonly #caches = new Map<string, { cache: WatchCache; end: AbortController; running: Promise<void> }>();

  constructor(store: ObjectStore, etcd: EtcdClient) {
    this.#store = store;
    this.#etcd = etcd;
  }

  of(prefix: string): WatchCache {
    const known = this.#caches.get(prefix);
    if (known) return known.cache;
    const cache = new WatchCache(this.#store, this.#etcd, prefix);
    const end = new AbortController();
    this.#caches.set(prefix, { cache, end, running: cache.run(end.signal) });
    return cache;
  }

  /** An object as the cache knows it, if there is one and it does: perhaps not the newest. */
  known(prefix: string, key: string): Entry | undefined {
    return this.#caches.get(prefix)?.cache.get(key);
  }

  /** Ends the cache of a resource that is no longer served, and with it every watch. */
  async drop(prefix: string): Promise<void> {
    const known = this.#caches.get(prefix);
    if (!known) return;
    this.#caches.delete(prefix);
    known.end.abort();
    await known.running;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#caches.keys()].map((prefix) => this.drop(prefix)));
  }
}
