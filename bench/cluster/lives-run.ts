import { Match } from "../match.ts";
import { ByHand } from "./by-hand.ts";
import { ByOperator } from "./by-operator.ts";
import type { Contestant } from "./contestant.ts";
import type { Seen } from "./life-figures.ts";
import type { Life, Sample, Step } from "./lives.ts";
import type { Stage } from "./stage.ts";

interface Running {
  readonly contestants: readonly [Contestant, Contestant];
  readonly matches: readonly { readonly step: Step; readonly match: Match<Contestant, Sample> }[];
}

/** Lets clusters live, twice each: by the operator and by hand. */
export class LivesRun {
  readonly #running: readonly Running[];

  constructor(stage: Stage, lives: readonly Life[], prefix = "") {
    this.#running = lives.map((life) => running(stage, life, prefix));
  }

  /** One life of each, or the beginning of it. Step by step in turns: one cluster matures while the other is made. */
  async round(steps = Number.POSITIVE_INFINITY): Promise<void> {
    const longest = Math.max(...this.#running.map(({ matches }) => matches.length));
    for (let at = 0; at < Math.min(steps, longest); at += 1) {
      for (const { matches } of this.#running) {
        const { step, match } = matches[at] ?? {};
        for (let time = 0; time < (step?.times ?? 1); time += 1) await match?.round();
      }
    }
    await Promise.all(this.#running.flatMap(({ contestants }) => contestants.map((each) => each.remove())));
  }

  get seen(): readonly Seen[] {
    return this.#running.flatMap(({ matches }) =>
      matches.map(({ step, match: { ours, theirs } }) => ({ step, ours, theirs })),
    );
  }
}

function running(stage: Stage, { kind, steps }: Life, prefix: string): Running {
  const tag = [prefix, kind.bootstrap.toLowerCase(), kind.size].filter(Boolean).join("-");
  const { world } = stage;
  const contestants = [
    new ByOperator(world, kind, `operated-${tag}`),
    new ByHand(world, kind, `by-hand-${tag}`),
  ] as const;
  const matches = steps.map((step, at) => {
    const match = new Match<Contestant, Sample>(contestants, async (contestant) => {
      if (at > 0) await contestant.cluster.restedFor(kind);
      return step.act(contestant, stage);
    });
    return { step, match };
  });
  return { contestants, matches };
}
