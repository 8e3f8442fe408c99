import type { Change } from "./change.ts";

/** The last changes of one resource, so that a watcher that is a little behind costs no read of the store. */
export class ChangeWindow {
  readonly #capacity: number;
  #changes: Change[] = [];
  #from: bigint;

  /** `from`: the revision after which every change is told to `add`. */
  constructor(capacity: number, from: bigint) {
    this.#capacity = capacity;
    this.#from = from;
  }

  add(change: Change): void {
    this.#changes.push(change);
    // In one go every now and then: shifting one by one would move the whole array each time.
    if (this.#changes.length < 2 * this.#capacity) return;
    const dropped = this.#changes.length - this.#capacity;
    this.#from = this.#changes[dropped - 1]?.revision ?? this.#from;
    this.#changes = this.#changes.slice(dropped);
  }

  /** Every change after `revision`; undefined when some of them are no longer known. */
  after(revision: bigint): readonly Change[] | undefined {
    if (revision < this.#from) return undefined;
    let start = this.#changes.length;
    while (start > 0 && (this.#changes[start - 1]?.revision ?? 0n) > revision) start--;
    return this.#changes.slice(start);
  }
}
