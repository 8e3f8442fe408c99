import type { Fault, FaultAt } from "./fault.ts";

/** Every write of a run, numbered in the order in which they are sent, whoever they go to. */
export class Writes {
  readonly #faultAt: FaultAt | undefined;
  readonly #sent: string[] = [];
  #isCounting = false;

  constructor(faultAt?: FaultAt) {
    this.#faultAt = faultAt;
  }

  /** What was sent while it counted, such as "POST pods" or "addMember". */
  get sent(): readonly string[] {
    return this.#sent;
  }

  /** From now on: what comes before belongs to the set-up. */
  count(): void {
    this.#isCounting = true;
  }

  /** The next write; the answer is what is to happen to it. */
  next(what: string): Fault | undefined {
    if (!this.#isCounting) return undefined;
    this.#sent.push(what);
    return this.#sent.length === this.#faultAt?.write ? this.#faultAt.fault : undefined;
  }
}
