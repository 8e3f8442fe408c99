import type { Writable } from "node:stream";

/** What is due in one turn of the loop goes out in one write: each costs a call of the kernel, on both sides. */
export class Outbox {
  readonly #to: Writable;
  #due: Buffer[] = [];

  constructor(to: Writable) {
    this.#to = to;
  }

  send(...parts: readonly Buffer[]): void {
    if (this.#due.length === 0) setImmediate(() => this.#flush());
    this.#due.push(...parts);
  }

  #flush(): void {
    const due = this.#due;
    this.#due = [];
    if (this.#to.writable) this.#to.write(Buffer.concat(due));
  }
}
