import { type Random, randomOf } from "../model/random.ts";

/** Choices that their seed decides. */
export interface Draw extends Random {
  of<T>(from: readonly [T, ...T[]] | readonly T[]): T;
  /** From `least` to `most`, both included. */
  between(least: number, most: number): number;
  /** What stands beside a weight, as often as its weight says. */
  weighted<T>(from: readonly (readonly [weight: number, value: T])[]): T;
  /** Another stream, which takes nothing more from this one. */
  fork(): Draw;
}

const PARTS = 1_000_000;

export function drawOf(seed: number): Draw {
  const random = randomOf(seed);
  const of = <T>(from: readonly T[]): T => {
    const value = from[random.int(from.length)];
    if (from.length === 0) throw new Error("nothing to choose from");
    return value as T;
  };
  return {
    ...random,
    of,
    between: (least, most) => least + random.int(most - least + 1),
    weighted<T>(from: readonly (readonly [number, T])[]): T {
      const total = from.reduce((sum, [weight]) => sum + weight, 0);
      let left = (random.int(PARTS) / PARTS) * total;
      for (const [weight, value] of from) {
        if (left < weight) return value;
        left -= weight;
      }
      throw new Error("nothing to choose from");
    },
    fork: () => drawOf(random.int(2 ** 31)),
  };
}
