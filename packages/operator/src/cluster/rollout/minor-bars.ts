import type { ActionOutcome } from "../model/action.ts";
import type { Observation } from "../model/observation.ts";

interface Bar {
  readonly why: string;
  readonly untilMs: number;
  /** An edit of the spec may be what lifts it. */
  readonly generation: number | undefined;
}

/**
 * Why the members of a cluster must not leave their minor, where an action has found that out. It is believed for a
 * while: finding out may cost etcd a read of all its data.
 */
export class MinorBars {
  readonly #bars = new Map<string, Bar>();

  /** What was observed, with what is known of that. */
  recall(key: string, seen: Observation): Observation {
    const bar = this.#bars.get(key);
    if (!bar) return seen;
    const { generation } = seen.cluster.metadata;
    if (bar.generation === generation && bar.untilMs > seen.nowMs) return { ...seen, minorBarred: bar.why };
    this.#bars.delete(key);
    return seen;
  }

  /**
   * What was observed, to plan from it again, if the action has found out that the members must not leave their minor.
   */
  learn(key: string, seen: Observation, outcome: ActionOutcome): Observation | undefined {
    if (seen.minorBarred !== undefined || outcome.kind !== "postponed" || !outcome.barsMinor) return undefined;
    const { why, retryMs } = outcome;
    this.#bars.set(key, { why, untilMs: seen.nowMs + retryMs, generation: seen.cluster.metadata.generation });
    return { ...seen, minorBarred: why };
  }

  /** When that is to be found out again; none where it is not known. */
  againMs(key: string, { nowMs }: Observation): readonly number[] {
    const bar = this.#bars.get(key);
    return bar ? [bar.untilMs - nowMs] : [];
  }

  forget(key: string): void {
    this.#bars.delete(key);
  }
}
