import type { LocalModeUnderTest } from "../../test/support/local/local-mode.ts";
import { Duel } from "../api-server/duel.ts";
import { type Figure, figure } from "../figure.ts";
import { repetitions } from "../repetitions.ts";
import { ByHand } from "./by-hand.ts";
import { ByOperator } from "./by-operator.ts";
import type { Contestant, Kind } from "./contestant.ts";
import { passesOver } from "./operator-facts.ts";
import type { WatchedWorld } from "./watched-world.ts";

interface Race {
  readonly kind: Kind;
  readonly create: string;
  readonly heal: string;
  readonly goal: number;
  readonly rounds: number;
}

const races: readonly Race[] = [
  {
    kind: { bootstrap: "Sequential", claims: false },
    create: "cluster: create three members, Sequential",
    heal: "cluster: heal, another member for a deleted pod (emptyDir)",
    goal: 1.3,
    rounds: repetitions(5, 3),
  },
  {
    kind: { bootstrap: "Parallel", claims: true },
    create: "cluster: create three members, Parallel, on claims",
    heal: "cluster: heal, the same member for a deleted pod (claim)",
    goal: 1.5,
    rounds: repetitions(5, 2),
  },
];

/** Each asks all members and may write something; about ten are needed, and some more to see that it is not time yet. */
const PASSES_LIMIT = 100;

/** Programs that have just started are slower than they will ever be again: a round that does not count. */
export async function warmUp(world: WatchedWorld, local: LocalModeUnderTest): Promise<void> {
  await new Rounds(world, local, { bootstrap: "Parallel", claims: true }).run(1);
}

/** From the beginning until the cluster is whole, by the operator and by hand in turns. */
export async function measureRace(world: WatchedWorld, local: LocalModeUnderTest): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const { kind, create, heal, goal, rounds } of races) {
    const { creations, healings, passes } = await new Rounds(world, local, kind).run(rounds);
    figures.push(
      figure({ name: create, unit: "ms", values: creations.values, limits: creations.limits, goal }),
      figure({ name: `${create}: passes`, unit: "", values: passes, limits: [PASSES_LIMIT], goal: 1 }),
      figure({ name: heal, unit: "ms", values: healings.values, limits: healings.limits, goal }),
    );
  }
  return figures;
}

/** Creations and healings by the operator and by hand. */
class Rounds {
  readonly #local: LocalModeUnderTest;
  readonly #operator: ByOperator;
  readonly #hand: ByHand;
  readonly creations: Duel<Contestant>;
  readonly healings: Duel<Contestant>;
  /** Of the operator, over each cluster until it was whole. */
  readonly passes: number[] = [];

  constructor(world: WatchedWorld, local: LocalModeUnderTest, kind: Kind) {
    this.#local = local;
    [this.#operator, this.#hand] = [new ByOperator(world, kind), new ByHand(world, kind)];
    const contestants = [this.#operator, this.#hand] as const;
    this.creations = new Duel<Contestant>(contestants, (contestant) => this.#create(contestant));
    this.healings = new Duel<Contestant>(contestants, async (contestant) => [await contestant.heal()]);
  }

  /** Both clusters are there at the same time, so that one matures while the other is made. */
  async run(rounds: number): Promise<this> {
    for (let round = 0; round < rounds; round += 1) {
      await this.creations.round();
      await this.healings.round();
      await Promise.all([this.#operator.remove(), this.#hand.remove()]);
    }
    return this;
  }

  async #create(contestant: Contestant): Promise<readonly number[]> {
    const durationMs = await contestant.create();
    if (contestant === this.#operator) this.passes.push(await passesOver(this.#local, this.#operator.cluster));
    return [durationMs];
  }
}
