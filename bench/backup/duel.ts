/**
 * What was measured on two contestants in turns; who begins alternates, so that what slows the machine down for a while
 * meets both.
 */
export class Duel<Contestant> {
  /** Of ours. */
  readonly values: number[] = [];
  /** Of theirs. */
  readonly limits: number[] = [];
  readonly #turns: (() => Promise<unknown>)[];

  constructor(
    [ours, theirs]: readonly [ours: Contestant, theirs: Contestant],
    measure: (contestant: Contestant) => Promise<readonly number[]>,
  ) {
    this.#turns = [
      async () => this.values.push(...(await measure(ours))),
      async () => this.limits.push(...(await measure(theirs))),
    ];
  }

  async round(): Promise<void> {
    for (const turn of this.#turns) await turn();
    this.#turns.reverse();
  }
}
