import { onAbort } from "../kubernetes/on-abort.ts";

/** Lets so many do something at the same time; the others wait in the order in which they came. */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  /** Whether who comes now has to wait. */
  get isFull(): boolean {
    return this.#free === 0;
  }

  /** Waits for a turn, and returns what ends it, to be called once; throws when the signal aborts before. */
  async take(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#free > 0) this.#free -= 1;
    else await this.#comes(signal);
    return () => {
      // Handed on, not given back: nobody who comes just now is served before those who wait.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    };
  }

  async #comes(signal: AbortSignal): Promise<void> {
    const undo: (() => void)[] = [];
    try {
      await new Promise<void>((resolve, reject) => {
        this.#waiting.push(resolve);
        const leave = () => {
          const place = this.#waiting.indexOf(resolve);
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
