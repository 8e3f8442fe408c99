import type { Entry } from "./entry.ts";

/** Entries by key, in the order of their keys. */
export class SortedEntries {
  readonly #entries = new Map<string, Entry>();
  #keys: string[] | undefined;

  get(key: string): Entry | undefined {
    return this.#entries.get(key);
  }

  set(entry: Entry): void {
    if (!this.#entries.has(entry.key)) this.#keys = undefined;
    this.#entries.set(entry.key, entry);
  }

  delete(key: string): void {
    if (this.#entries.delete(key)) this.#keys = undefined;
  }

  /** Every entry whose key starts with `prefix`. */
  under(prefix: string): Entry[] {
    // Sorted on read: many writes between two lists then cost one sort.
    this.#keys ??= [...this.#entries.keys()].sort();
    const found: Entry[] = [];
    for (let at = firstAtLeast(this.#keys, prefix); at < this.#keys.length; at++) {
      const key = this.#keys[at] ?? "";
      if (!key.startsWith(prefix)) break;
      const entry = this.#entries.get(key);
      if (entry) found.push(entry);
    }
    return found;
  }
}

function firstAtLeast(keys: readonly string[], wanted: string): number {
  let [low, high] = [0, keys.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((keys[middle] ?? "") < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
