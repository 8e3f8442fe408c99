/** A stream of numbers that its seed decides, so that whatever fails can be made to fail again. */
export interface Random {
  /** From 0 up to, and without, `below`. */
  int(below: number): number;
  chance(probability: number): boolean;
  pick<T>(from: readonly T[]): T | undefined;
  /** Some of them, in the order given; each with the same probability. */
  some<T>(from: readonly T[]): T[];
}

/** Mulberry32: short, fast, and good enough to wander. */
export function randomOf(seed: number): Random {
  let state = seed | 0;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const int = (below: number) => Math.floor(next() * below);
  return {
    int,
    chance: (probability) => next() < probability,
    pick: (from) => from[int(from.length)],
    some: (from) => from.filter(() => next() < 0.5),
  };
}
