import type { KubeObject, Stored } from "../requests/kube-object.ts";
import type { Indexer } from "./indexers.ts";

/** The keys of objects by the values that an indexer finds in them. */
export class ObjectIndex<T extends KubeObject> {
  readonly #indexer: Indexer<T>;
  readonly #keys = new Map<string, Set<string>>();

  constructor(indexer: Indexer<T>) {
    this.#indexer = indexer;
  }

  keysOf(value: string): Iterable<string> {
    return this.#keys.get(value) ?? [];
  }

  add(key: string, object: Stored<T>): void {
    for (const value of this.#indexer(object)) {
      const keys = this.#keys.get(value);
      if (keys) keys.add(key);
      else this.#keys.set(value, new Set([key]));
    }
  }

  remove(key: string, object: Stored<T>): void {
    for (const value of this.#indexer(object)) {
      const keys = this.#keys.get(value);
      keys?.delete(key);
      if (keys?.size === 0) this.#keys.delete(value);
    }
  }
}
