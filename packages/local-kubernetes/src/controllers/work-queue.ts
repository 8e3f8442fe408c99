import { WorkQueue as ReadyKeys, runWorkers } from "@etcd-operator/controller-runtime";
import { type Clock, hasCode, isAboutGoingNamespace, onAbort, systemClock } from "@etcd-operator/kubernetes-client";

export interface WorkQueueOptions {
  /** Whose work it is, for the log. */
  readonly name: string;
  /** Does what a key needs, from the state of the world; may ask to be called again after some time. */
  readonly work: (key: string) => Promise<Again | undefined>;
  readonly signal: AbortSignal;
  readonly log: (line: string) => void;
  /** How many keys may be in work at once. */
  readonly parallel?: number;
  readonly clock?: Clock;
}

export interface Again {
  readonly afterMs: number;
}

const FIRST_RETRY_MS = 20;
const LONGEST_RETRY_MS = 5_000;

/** Works on keys, never twice at once on the same one; what fails is tried again, less and less often. */
export class WorkQueue {
  readonly #options: WorkQueueOptions;
  readonly #keys: ReadyKeys;
  readonly #failures = new Map<string, number>();

  constructor(options: WorkQueueOptions) {
    const { signal, parallel = 8, clock = systemClock } = options;
    this.#options = options;
    this.#keys = new ReadyKeys({ clock });
    onAbort(signal, () => this.#keys.close());
    const take = () => this.#keys.take(signal);
    void runWorkers({ usual: parallel, most: parallel, take, handle: (key) => this.#work(key), clock });
  }

  /** Queues a key; one that is being reconciled is reconciled again afterwards. */
  add(key: string): void {
    this.#keys.add(key);
  }

  /** The soonest of several times wins. */
  addAfter(key: string, afterMs: number): void {
    this.#keys.addAfter(key, afterMs);
  }

  async #work(key: string): Promise<void> {
    const afterMs = await this.#attempt(key);
    this.#keys.done(key);
    if (afterMs !== undefined) this.#keys.addAfter(key, afterMs);
  }

  /** Returns when the key is due again. */
  async #attempt(key: string): Promise<number | undefined> {
    const { name, work, signal, log } = this.#options;
    const failures = this.#failures.get(key) ?? 0;
    this.#failures.delete(key);
    try {
      return (await work(key))?.afterMs;
    } catch (error) {
      if (signal.aborted || isAboutGoingNamespace(error)) return undefined;
      this.#failures.set(key, failures + 1);
      // That another was faster is how concurrent writers learn of each other: no reason to tell, unless it goes on.
      const isExpected = failures < 5 && hasCode(error, "conflict", "not-found", "already-exists");
      if (!isExpected) log(`${name}: ${key}: ${String(error)}`);
      return Math.min(FIRST_RETRY_MS * 2 ** failures, LONGEST_RETRY_MS);
    }
  }
}
