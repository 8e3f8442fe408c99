/** A key of its own for each write, so that none of them hides another. */
export interface Acknowledged {
  readonly key: string;
  /** The etcd cluster that gave the word, in hexadecimal. */
  readonly clusterId: string;
  readonly revision: number;
  readonly atMs: number;
}

/** What was acknowledged to clients, and by which cluster. */
export class Ledger {
  readonly #writes: Acknowledged[] = [];

  add(write: Acknowledged): void {
    this.#writes.push(write);
  }

  get writes(): readonly Acknowledged[] {
    return this.#writes;
  }

  /** The writes that none of these places has. */
  missingFrom(...places: readonly Pick<ReadonlySet<string>, "has">[]): readonly Acknowledged[] {
    return this.#writes.filter(({ key }) => !places.some((place) => place.has(key)));
  }

  /** For how long nothing was acknowledged at most, between two moments. */
  longestGapMs(fromMs: number, toMs: number): number {
    const times = [fromMs, ...this.#writes.map(({ atMs }) => atMs), toMs].filter((at) => at >= fromMs && at <= toMs);
    return Math.max(...times.map((at, index) => at - (times[index - 1] ?? at)));
  }
}

/** Such as "w/17 to w/21, 5 in all". */
export function inShort(writes: readonly Pick<Acknowledged, "key">[]): string {
  const [first, last] = [writes[0]?.key, writes.at(-1)?.key];
  return first === last ? `${first}` : `${first} to ${last}, ${writes.length} in all`;
}
