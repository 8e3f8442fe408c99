/**
 * What was seen of two contestants in turns; who begins alternates, so that what slows the machine down for a while
 * meets both.
 */
export class Match<Contestant, Sample> {
  readonly ours: Sample[] = [];
  readonly theirs: Sample[] = [];
  readonly #turns: (() => Promise<unknown>)[];

  constructor(
    [ours, theirs]: readonly [ours: Contestant, theirs: Contestant],
    measure: (contestant: Contestant) => Promise<Sample>,
  ) {
    this.#turns = [
      async () => this.ours.push(await measure(ours)),
      async () => this.theirs.push(await measure(theirs)),
    ];
  }

  async round(): Promise<void> {
    for (const turn of this.#turns) await turn();
    this.#turns.reverse();
  }
}
