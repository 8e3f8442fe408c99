import type { CallOptions } from "@etcd-operator/etcd-client";
import { EtcdError, type EtcdErrorCode } from "@etcd-operator/etcd-client";
import type { Clock } from "@etcd-operator/kubernetes-client";

/** Where calls wait for what they need. Whenever something may have changed, all of them look again. */
export class WaitingRoom {
  readonly #clock: Clock;
  readonly #looking = new Set<() => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  pulse(): void {
    for (const look of [...this.#looking]) look();
  }

  /** Also for callers that wait for nothing in particular; returns what ends it. */
  onPulse(look: () => void): () => void {
    this.#looking.add(look);
    return () => this.#looking.delete(look);
  }

  /** The first answer that `look` has, which may throw; an EtcdError when time is up or the caller cancels. */
  async until<T>(look: () => T | undefined, { fail, endsAtMs, signal }: Patience): Promise<T> {
    const first = look();
    if (first !== undefined) return first;
    if (signal?.aborted) throw fail("canceled", "canceled by the caller");
    return new Promise<T>((resolve, reject) => {
      const undo: (() => void)[] = [];
      const settle = (done: () => void) => {
        for (const each of undo.splice(0)) each();
        done();
      };
      const again = () => {
        try {
          const found = look();
          if (found !== undefined) settle(() => resolve(found));
        } catch (error) {
          settle(() => reject(error));
        }
      };
      const giveUp = () => settle(() => reject(fail("canceled", "canceled by the caller")));
      const late = () => settle(() => reject(fail("deadline", "etcdserver: request timed out")));
      undo.push(this.onPulse(again), this.#clock.after(Math.max(0, endsAtMs - this.#clock.monotonic()), late));
      signal?.addEventListener("abort", giveUp, { once: true });
      undo.push(() => signal?.removeEventListener("abort", giveUp));
    });
  }

  patience(operation: string, endpoint: string, options: CallOptions, timeoutMs: number): Patience {
    const fail = (code: EtcdErrorCode, reason: string) => new EtcdError(code, { operation, endpoint, reason });
    if (options.signal?.aborted) throw fail("canceled", "canceled by the caller");
    return { fail, endsAtMs: this.#clock.monotonic() + timeoutMs, signal: options.signal };
  }
}

export interface Patience {
  readonly fail: (code: EtcdErrorCode, reason: string) => EtcdError;
  readonly endsAtMs: number;
  readonly signal: AbortSignal | undefined;
}
