import { onAbort } from "../kubernetes/on-abort.ts";

/** Who is more urgent goes before others that wait, and begins beside so many more than may begin otherwise. */
export type Urgency = 0 | 1 | 2;

interface Waiting {
  readonly urgency: Urgency;
  readonly begin: () => void;
}

/** Lets so many do something at the same time; the others wait in the order in which they came. */
export class Turns {
  readonly #atOnce: number;
  readonly #waiting: Waiting[] = [];
  #taken = 0;

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  /** Whether who comes now, and is not urgent, has to wait. */
  get isFull(): boolean {
    return !this.#hasRoom(0);
  }

  /** Waits for a turn, and returns what ends it, to be called once; throws when the signal aborts before. */
  async take(signal: AbortSignal, urgency: Urgency = 0): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#hasRoom(urgency)) this.#taken += 1;
    else await this.#comes(urgency, signal);
    return () => {
      this.#taken -= 1;
      this.#next();
    };
  }

  #hasRoom(urgency: Urgency): boolean {
    return this.#taken < this.#atOnce + urgency;
  }

  /** Handed on at once: nobody who comes just now is served before those who wait. */
  #next(): void {
    const [next] = this.#waiting.toSorted((a, b) => b.urgency - a.urgency);
    if (!next || !this.#hasRoom(next.urgency)) return;
    this.#waiting.splice(this.#waiting.indexOf(next), 1);
    this.#taken += 1;
    next.begin();
  }

  async #comes(urgency: Urgency, signal: AbortSignal): Promise<void> {
    const undo: (() => void)[] = [];
    try {
      await new Promise<void>((begin, reject) => {
        const waiting = { urgency, begin };
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
