import { onAbort } from "@etcd-operator/kubernetes-client";

/**
 * Lets one after the other use a claim, in the order in which they ask. There is one of these in a process, whichever
 * controllers it has.
 */
export class ClaimTurns {
  /** Of each claim that is in use, what begins the turns of those that wait. */
  readonly #waiting = new Map<string, (() => void)[]>();

  isTaken(claim: string): boolean {
    return this.#waiting.has(claim);
  }

  /** Waits for a turn, and returns what ends it; throws when the signal aborts before. */
  async take(claim: string, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    const waiting = this.#waiting.get(claim);
    if (waiting) await comes(waiting, signal);
    else this.#waiting.set(claim, []);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      const next = this.#waiting.get(claim)?.shift();
      if (next) next();
      else this.#waiting.delete(claim);
    };
  }
}

async function comes(waiting: (() => void)[], signal: AbortSignal): Promise<void> {
  const undo: (() => void)[] = [];
  try {
    await new Promise<void>((begin, reject) => {
      waiting.push(begin);
      const leave = () => {
        const place = waiting.indexOf(begin);
        // Its turn may have come already, and then it is used.
        if (place < 0) return;
        waiting.splice(place, 1);
        reject(signal.reason);
      };
      undo.push(onAbort(signal, leave));
    });
  } finally {
    for (const each of undo) each();
  }
}
