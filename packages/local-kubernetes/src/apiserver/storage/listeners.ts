import type { Change, ChangeListener } from "./change.ts";

/** Those who follow a resource, by the folder of keys that they follow: of most changes only few need to hear. */
export class Listeners {
  readonly #root: string;
  readonly #folders = new Map<string, Set<ChangeListener>>();

  /** `root`: where the keys of the resource begin. */
  constructor(root: string) {
    this.#root = root;
  }

  add(listener: ChangeListener): void {
    const folder = folderOf(listener.prefix ?? this.#root);
    const there = this.#folders.get(folder) ?? new Set();
    this.#folders.set(folder, there.add(listener));
  }

  delete(listener: ChangeListener): void {
    const folder = folderOf(listener.prefix ?? this.#root);
    const there = this.#folders.get(folder);
    if (there?.delete(listener) && there.size === 0) this.#folders.delete(folder);
  }

  tell(key: string, change: Change): void {
    // The folder itself and those above it: a namespace, then the resource.
    for (let folder = folderOf(key); folder !== ""; folder = folderOf(folder.slice(0, -1))) {
      for (const listener of this.#folders.get(folder) ?? []) listener.changed(change);
    }
  }

  /** Tells all of them that they will hear no more. */
  lose(): void {
    const all = [...this.#folders.values()].flatMap((there) => [...there]);
    this.#folders.clear();
    for (const listener of all) listener.lost();
  }
}

function folderOf(key: string): string {
  return key.slice(0, key.lastIndexOf("/") + 1);
}
