/** A map of bounded size: what was not asked for the longest goes first. */
export class LeastRecent<Value> {
  readonly #limit: number;
  readonly #values = new Map<string, Value>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  get(key: string, create: () => Value): Value {
    const value = this.#values.get(key) ?? create();
    // A Map keeps the order of insertion.
    this.#values.delete(key);
    this.#values.set(key, value);
    for (const oldest of this.#values.keys()) {
      if (this.#values.size <= this.#limit) break;
      this.#values.delete(oldest);
    }
    return value;
  }
}
