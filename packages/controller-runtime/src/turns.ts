import { onAbort } from "@etcd-operator/kubernetes-client";

/** Who is more urgent goes before others that wait, and begins beside so many more than may begin otherwise. */
export type Urgency = 0 | 1 | 2;

interface Waiting {
  readonly urgency: Urgency;
  readonly of: string | undefined;
  readonly begin: () => void;
}

/**
 * Lets so many do something at the same time; the others wait in the order in which they came. Of one owner, such as a
 * namespace, there may be a limit of its own, so that one of many cannot hold all turns for as long as it likes.
 */
export class Turns {
  readonly #atOnce: number;
  readonly #atOnceOfOne: number;
  /** How many each owner has. */
  readonly #held = new Map<string, number>();
  readonly #waiting: Waiting[] = [];
  #taken = 0;

  constructor(atOnce: number, atOnceOfOne = atOnce) {
    this.#atOnce = atOnce;
    this.#atOnceOfOne = atOnceOfOne;
  }

  /** Whether who comes now, and is not urgent, has to wait. */
  get isFull(): boolean {
    return this.isFullFor(undefined);
  }

  /** How many there are, for a status; names no other owner. */
  get limits(): string {
    const ofOne = this.#atOnceOfOne < this.#atOnce ? `, ${this.#atOnceOfOne} for one namespace` : "";
    return `${this.#atOnce} in all${ofOne}`;
  }

  isFullFor(owner: string | undefined): boolean {
    return !this.#hasRoom(0, owner);
  }

  /** Waits for a turn, and returns what ends it, to be called once; throws when the signal aborts before. */
  async take(signal: AbortSignal, urgency: Urgency = 0, of?: string): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#hasRoom(urgency, of)) this.#count(of, 1);
    else await this.#comes({ urgency, of }, signal);
    return () => {
      this.#count(of, -1);
      this.#next();
    };
  }

  #hasRoom(urgency: Urgency, of: string | undefined): boolean {
    const isOfOneTooMany = of !== undefined && this.#heldBy(of) >= this.#atOnceOfOne + urgency;
    return this.#taken < this.#atOnce + urgency && !isOfOneTooMany;
  }

  #heldBy(of: string | undefined): number {
    return of === undefined ? 0 : (this.#held.get(of) ?? 0);
  }

  #count(of: string | undefined, change: 1 | -1): void {
    this.#taken += change;
    if (of === undefined) return;
    const held = this.#heldBy(of) + change;
    if (held > 0) this.#held.set(of, held);
    else this.#held.delete(of);
  }

  /** Handed on at once: no newcomer is served before those that wait. */
  #next(): void {
    const [next] = this.#waiting
      .filter(({ urgency, of }) => this.#hasRoom(urgency, of))
      .sort((a, b) => b.urgency - a.urgency || this.#heldBy(a.of) - this.#heldBy(b.of));
    if (!next) return;
    this.#waiting.splice(this.#waiting.indexOf(next), 1);
    this.#count(next.of, 1);
    next.begin();
    this.#next();
  }

  async #comes(who: Omit<Waiting, "begin">, signal: AbortSignal): Promise<void> {
    const undo: (() => void)[] = [];
    try {
      await new Promise<void>((begin, reject) => {
        const waiting = { ...who, begin };
        this.#waiting.push(waiting);
        const leave = () => {
          const place = this.#waiting.indexOf(waiting);
          // Its turn may have come already, and then it is used.
          if (place < 0) return;
          this.#waiting.splice(place, 1);
          reject(signal.reason);
        };
        undo.push(onAbort(signal, leave));
      });
    } finally {
      for (const each of undo) each();
    }
  }
}
