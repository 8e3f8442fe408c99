import type { MemoryEtcd } from "../world/memory-etcd.ts";

interface Moment {
  readonly revision: bigint;
  readonly ms: number;
}

/** When each revision of the store came. */
export class Timeline {
  /** What there was at the beginning; no view is older. */
  readonly oldest: bigint;
  readonly #etcd: Pick<MemoryEtcd, "events" | "watch">;
  readonly #moments: Moment[] = [];
  readonly #listeners = new Set<() => void>();

  constructor(etcd: Pick<MemoryEtcd, "events" | "watch">, signal: AbortSignal) {
    this.#etcd = etcd;
    this.oldest = this.newest;
    void this.#follow(signal);
  }

  get newest(): bigint {
    return this.#etcd.events.at(-1)?.keyValue.modRevision ?? 0n;
  }

  /** The newest one that had come by then. */
  newestAt(ms: number): bigint {
    const moment = this.#moments.findLast((each) => each.ms <= ms);
    return moment?.revision ?? this.oldest;
  }

  /** Calls whenever there is a newer one; what it returns ends that. */
  onAdvance(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async #follow(signal: AbortSignal): Promise<void> {
    for await (const message of this.#etcd.watch({ key: "/", rangeEnd: "\0" }, { signal })) {
      if (message.kind !== "events") continue;
      for (const { keyValue } of message.events) this.#moments.push({ revision: keyValue.modRevision, ms: Date.now() });
      for (const listener of this.#listeners) listener();
    }
  }
}
