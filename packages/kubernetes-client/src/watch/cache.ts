import { type KubeObject, keyOf, type ObjectRef, type Stored } from "../requests/kube-object.ts";
import { isAtLeast, isOlder } from "../requests/resource-version.ts";
import type { Indexer } from "./indexers.ts";
import { ObjectIndex } from "./object-index.ts";
import { Waiters } from "./waiters.ts";
import { versionOf, type WatchEvent } from "./watch-event.ts";

/** What happened to an object; one with another UID under the same name is first deleted, then added. */
export type Change<T extends KubeObject> =
  | { readonly type: "added"; readonly object: Stored<T> }
  | { readonly type: "modified"; readonly object: Stored<T>; readonly old: Stored<T> }
  /** The object's last state that we know of: an older one when it went while we were not connected. */
  | { readonly type: "deleted"; readonly object: Stored<T> }
  /** Once, after the first list: the cache holds all there is. */
  | { readonly type: "synced" };

/** The side of a cache for those who read. Never change what it returns: everybody gets the same object. */
export type CacheReader<T extends KubeObject, Index extends string = never> = Omit<
  Cache<T, Index>,
  "replace" | "apply"
>;

/** The objects of a selection as last seen, by name and by index. */
export class Cache<T extends KubeObject, Index extends string = never> {
  readonly #objects = new Map<string, Stored<T>>();
  readonly #indexes = new Map<string, ObjectIndex<T>>();
  readonly #waiters = new Waiters();
  #resourceVersion: string | undefined;

  constructor(indexers?: Readonly<Record<Index, Indexer<T>>>) {
    for (const [name, indexer] of Object.entries<Indexer<T>>(indexers ?? {})) {
      this.#indexes.set(name, new ObjectIndex(indexer));
    }
  }

  get(ref: ObjectRef): Stored<T> | undefined {
    return this.#objects.get(keyOf(ref));
  }

  list(namespace?: string): Stored<T>[] {
    const all = [...this.#objects.values()];
    return namespace === undefined ? all : all.filter((object) => object.metadata.namespace === namespace);
  }

  byIndex(index: Index, value: string): Stored<T>[] {
    const keys = this.#indexes.get(index)?.keysOf(value) ?? [];
    return [...keys].flatMap((key) => this.#objects.get(key) ?? []);
  }

  get size(): number {
    return this.#objects.size;
  }

  /** Everything up to this version has been seen. */
  get resourceVersion(): string | undefined {
    return this.#resourceVersion;
  }

  get hasSynced(): boolean {
    return this.#resourceVersion !== undefined;
  }

  /** Resolves after the first list; rejects when the signal aborts. */
  async waitForSync(signal?: AbortSignal): Promise<void> {
    await this.#waiters.until(() => this.hasSynced, signal);
  }

  /**
   * Resolves when the cache has seen a write, or something newer; give it the resourceVersion that the write returned.
   */
  async waitUntilSeen(ref: ObjectRef, resourceVersion: string, signal?: AbortSignal): Promise<void> {
    await this.#waiters.until(() => this.#hasSeen(ref, resourceVersion), signal);
  }

  /** Resolves when the object with this UID is not in the cache any more. */
  async waitUntilGone(ref: ObjectRef, uid: string, signal?: AbortSignal): Promise<void> {
    await this.#waiters.until(() => this.hasSynced && this.get(ref)?.metadata.uid !== uid, signal);
  }

  /** Takes over a list: what is not in it is gone. */
  replace(items: readonly Stored<T>[], resourceVersion: string): Change<T>[] {
    const changes: Change<T>[] = [];
    const listed = new Set(items.map(({ metadata }) => keyOf(metadata)));
    for (const [key, object] of this.#objects) if (!listed.has(key)) changes.push(...this.#remove(object));
    for (const item of items) changes.push(...this.#put(item));
    if (!this.hasSynced) changes.push({ type: "synced" });
    this.#resourceVersion = resourceVersion;
    this.#waiters.look();
    return changes;
  }

  /** Takes over an event of a watch that continues the list; repeated ones change nothing, however late they come. */
  apply(event: WatchEvent<T>): Change<T>[] {
    const version = versionOf(event);
    // A watch tells changes in the order of their versions, so this one was told before; what came after it must not be
    // undone.
    if (this.#resourceVersion !== undefined && isOlder(version, this.#resourceVersion)) return [];
    const changes = this.#changesOf(event);
    this.#resourceVersion = version;
    this.#waiters.look();
    return changes;
  }

  #changesOf(event: WatchEvent<T>): Change<T>[] {
    switch (event.type) {
      case "ADDED":
      case "MODIFIED":
        return this.#put(event.object);
      case "DELETED":
        return this.#remove(event.object);
      case "BOOKMARK":
        return [];
    }
  }

  #put(object: Stored<T>): Change<T>[] {
    const key = keyOf(object.metadata);
    const old = this.#objects.get(key);
    if (old && old.metadata.resourceVersion === object.metadata.resourceVersion) return [];
    if (old) this.#forget(key, old);
    this.#objects.set(key, object);
    for (const index of this.#indexes.values()) index.add(key, object);
    if (!old) return [{ type: "added", object }];
    if (old.metadata.uid === object.metadata.uid) return [{ type: "modified", object, old }];
    return [
      { type: "deleted", object: old },
      { type: "added", object },
    ];
  }

  #remove(object: Stored<T>): Change<T>[] {
    const key = keyOf(object.metadata);
    const old = this.#objects.get(key);
    if (!old) return [];
    this.#forget(key, old);
    return [{ type: "deleted", object }];
  }

  #forget(key: string, object: Stored<T>): void {
    this.#objects.delete(key);
    for (const index of this.#indexes.values()) index.remove(key, object);
  }

  #hasSeen(ref: ObjectRef, resourceVersion: string): boolean {
    // One watch tells the changes of a kind in the order of their versions, so a newer one means that ours has been
    // told.
    if (this.#resourceVersion !== undefined && isAtLeast(this.#resourceVersion, resourceVersion)) return true;
    return this.get(ref)?.metadata.resourceVersion === resourceVersion;
  }
}
