import type { Clock } from "@etcd-operator/kubernetes-client";

/** How long this process has seen conditions of an object without a break; 0 for one that it did not see last time. */
export interface SeenFor {
  ms(condition: string): number;
}

/** Something that is so at this moment. */
export interface ConditionSeen {
  readonly name: string;
  /** What the condition is told of by others, such as a time in a status. With another text its time starts again. */
  readonly since?: string | undefined;
}

interface Known {
  readonly since: string | undefined;
  readonly ms: number;
}

interface Memory {
  readonly atMs: number;
  readonly conditions: ReadonlyMap<string, Known>;
}

/**
 * For waits that end in something that cannot be undone. A time in a status or on a pod was written by the clock of
 * another machine, or by ours before it was set; the monotonic clock of this process cannot be wrong in that way. A
 * process that starts, or wakes after it was frozen, has not seen what happened meanwhile, so between two looks at most
 * `longestGapMs` count.
 */
export class ConditionMemory {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #longestGapMs: number;
  readonly #objects = new Map<string, Memory>();

  constructor(clock: Pick<Clock, "monotonic">, longestGapMs: number) {
    this.#clock = clock;
    this.#longestGapMs = longestGapMs;
  }

  /** Takes note of all that is so of an object now, and tells for how long each has been so. */
  learn(key: string, seen: readonly ConditionSeen[]): SeenFor {
    const atMs = this.#clock.monotonic();
    const before = this.#objects.get(key);
    const passedMs = before ? Math.min(atMs - before.atMs, this.#longestGapMs) : 0;
    const conditions = new Map(
      seen.map(({ name, since }) => [name, knownAfter(before?.conditions.get(name), since, passedMs)] as const),
    );
    this.#objects.set(key, { atMs, conditions });
    return { ms: (condition) => conditions.get(condition)?.ms ?? 0 };
  }

  forget(key: string): void {
    this.#objects.delete(key);
  }
}

/** What says nothing of its beginning goes on. */
function knownAfter(known: Known | undefined, since: string | undefined, passedMs: number): Known {
  const isSame = known !== undefined && (since === undefined || since === known.since);
  return isSame ? { since: known.since, ms: known.ms + passedMs } : { since, ms: 0 };
}
