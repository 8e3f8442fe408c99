import { FOUNDERS_ARE_NEVER_LATE } from "./known-gaps.ts";
import type { World } from "./world.ts";

/** The pass ended with an error: the operator exited after one of its writes. */
export class PassFailed extends Error {}

/** How the operator goes about an action. */
export interface Manner {
  /** It dies after so many writes. */
  readonly afterWrites?: number | undefined;
  /** It took its second look long ago: between that and the write it slept. */
  readonly isLate?: boolean | undefined;
}

/** What an operator does to the world with one action: reads, and writes each of which may be its last. */
export class Hand {
  readonly world: World;
  readonly isLate: boolean;
  #before: World | undefined;
  #writesLeft: number;

  /** @param before the world as it was when the operator took its second look, if it slept since then */
  constructor(world: World, { afterWrites = Number.POSITIVE_INFINITY, isLate = false }: Manner, before?: World) {
    this.world = world;
    this.isLate = isLate && !(FOUNDERS_ARE_NEVER_LATE && (before ?? world).cluster.status?.clusterID === undefined);
    this.#before = this.isLate ? before : undefined;
    this.#writesLeft = afterWrites;
  }

  /** What reads show: with the first write the operator is awake again. */
  get seeing(): World {
    return this.#before ?? this.world;
  }

  /** Whether it exited in the middle of the action. */
  get isDead(): boolean {
    return this.#writesLeft < 0;
  }

  write<T>(effect: () => T): T {
    if (this.#writesLeft <= 0) {
      this.#writesLeft = -1;
      throw new PassFailed("cut short");
    }
    this.#writesLeft -= 1;
    this.#before = undefined;
    return effect();
  }
}
