import type { Timeline } from "./timeline.ts";

/** How much of what happened a view shows. */
export interface Horizon {
  /** The newest revision that is shown of a kind. */
  of(plural: string): bigint;
  /** Calls whenever that may have changed; what it returns ends it. */
  onChange(listener: () => void): () => void;
}

type Times = Pick<Timeline, "newest" | "newestAt" | "onAdvance">;

/**
 * Everything but the newest revisions, of whatever kind those are: the Leases of an election let others catch up in
 * time.
 */
export function revisionsBehind(times: Times, revisions: number): Horizon {
  return { of: () => times.newest - BigInt(revisions), onChange: (listener) => times.onAdvance(listener) };
}

/** Everything but what happened this moment. */
export function timeBehind(times: Times, lagMs: number): Horizon {
  return {
    of: () => times.newestAt(Date.now() - lagMs),
    onChange: (listener) => times.onAdvance(() => setTimeout(listener, lagMs)),
  };
}

/** Everything, except while it stands still at a revision; that may be one of long ago. */
export class StandingHorizon implements Horizon {
  readonly #times: Times;
  readonly #listeners = new Set<() => void>();
  #stands: bigint | undefined;

  constructor(times: Times) {
    this.#times = times;
  }

  get isStanding(): boolean {
    return this.#stands !== undefined;
  }

  of(): bigint {
    return this.#stands ?? this.#times.newest;
  }

  onChange(listener: () => void): () => void {
    const leave = this.#times.onAdvance(listener);
    this.#listeners.add(listener);
    return () => {
      leave();
      this.#listeners.delete(listener);
    };
  }

  /** Stands still for a while; then it jumps to the present, or goes there step by step. */
  stand(revision: bigint, forMs: number, stepMs?: number): void {
    this.#stands = revision;
    setTimeout(() => this.#goOn(stepMs), forMs);
  }

  #goOn(stepMs: number | undefined): void {
    const next = (this.#stands ?? this.#times.newest) + 1n;
    this.#stands = stepMs === undefined || next >= this.#times.newest ? undefined : next;
    if (this.#stands !== undefined) setTimeout(() => this.#goOn(stepMs), stepMs);
    for (const listener of [...this.#listeners]) listener();
  }
}

/** Some kinds as a horizon shows them, the others as they are. */
export function onlyOf(
  horizon: Horizon,
  concerns: (plural: string) => boolean,
  times: Pick<Timeline, "newest" | "oldest">,
): Horizon {
  const within = (revision: bigint) => (revision < times.oldest ? times.oldest : revision);
  return {
    of: (plural) => (concerns(plural) ? within(horizon.of(plural)) : times.newest),
    onChange: (listener) => horizon.onChange(listener),
  };
}
