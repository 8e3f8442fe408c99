import type { Fault, FaultAt } from "./fault.ts";

/** The listeners that get every write before it is sent. */
export interface NumberedWrites {
  /** The next write, such as "POST pods" with its body; the answer is what is to happen to it. */
  next(what: string, body?: string): Fault | undefined;
}

/** Every write of a run, numbered in the order in which they are sent, to any server. */
export class Writes implements NumberedWrites {
  readonly #faultAt: FaultAt | undefined;
  readonly #onWrite: (write: number, what: string) => void;
  readonly #sent: string[] = [];
  #isCounting = false;

  /** @param onWrite gets the number of each write before it is sent */
  constructor(faultAt?: FaultAt, onWrite: (write: number, what: string) => void = () => undefined) {
    this.#faultAt = faultAt;
    this.#onWrite = onWrite;
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
    this.#onWrite(this.#sent.length, what);
    return this.#sent.length === this.#faultAt?.write ? this.#faultAt.fault : undefined;
  }
}
