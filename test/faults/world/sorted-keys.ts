/** Keys in their order, of which a stretch can be read without reading the others. */
export class SortedKeys {
  #keys: string[];

  constructor(keys: readonly string[] = []) {
    this.#keys = [...keys];
  }

  add(key: string): void {
    const at = this.#placeOf(key);
    if (this.#keys[at] !== key) this.#keys.splice(at, 0, key);
  }

  delete(key: string): void {
    const at = this.#placeOf(key);
    if (this.#keys[at] === key) this.#keys.splice(at, 1);
  }

  /** From the first on, up to and without the end; to the last where there is none. */
  between(first: string, end: string | undefined): string[] {
    return this.#keys.slice(this.#placeOf(first), end === undefined ? undefined : this.#placeOf(end));
  }

  copy(): SortedKeys {
    return new SortedKeys(this.#keys);
  }

  #placeOf(key: string): number {
    let [low, high] = [0, this.#keys.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#keys[middle] ?? "") < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
