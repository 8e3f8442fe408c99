import { KubernetesError } from "../requests/kubernetes-error.ts";
import { onAbort } from "../requests/on-abort.ts";

/** Those who wait for something in memory to become true. */
export class Waiters {
  readonly #looks = new Set<() => void>();

  /** Resolves at the first `look` at which it holds, or at once; rejects when the signal aborts. */
  async until(holds: () => boolean, signal?: AbortSignal): Promise<void> {
    if (holds()) return;
    const undo: (() => void)[] = [];
    try {
      await new Promise<void>((resolve, reject) => {
        const look = () => {
          if (holds()) resolve();
        };
        this.#looks.add(look);
        undo.push(() => this.#looks.delete(look));
        undo.push(onAbort(signal, () => reject(canceled(signal))));
      });
    } finally {
      for (const each of undo) each();
    }
  }

  /** Something may have become true. */
  look(): void {
    for (const look of this.#looks) look();
  }
}

function canceled(signal: AbortSignal | undefined): KubernetesError {
  return new KubernetesError("canceled", {
    operation: "wait for the cache",
    message: "canceled",
    cause: signal?.reason,
  });
}
