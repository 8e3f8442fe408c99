import { type Figure, figure } from "../figure.ts";
import { Match } from "../match.ts";
import { repetitions } from "../repetitions.ts";
import { ByHand } from "./by-hand.ts";
import { ByOperator } from "./by-operator.ts";
import type { Contestant, Kind } from "./contestant.ts";
import type { Stage } from "./stage.ts";

export const CLUSTERS = 10;

type Bootstrap = Kind["bootstrap"];

/** Ten clusters, and what is told of how soon they were there. */
export interface TenClusters {
  readonly figures: readonly Figure[];
  /** They are there still. */
  readonly clusters: readonly ByOperator[];
}

/** Ten clusters of three at once, until the last is whole. */
export async function measureTenClusters(stage: Stage): Promise<TenClusters> {
  const sequential = await race(stage, { bootstrap: "Sequential", goal: 1.15, rounds: repetitions(5, 0) });
  await Promise.all(sequential.clusters.map((each) => each.remove()));
  const parallel = await race(stage, { bootstrap: "Parallel", goal: 1.5, rounds: repetitions(5, 1) });
  return { ...parallel, figures: [...sequential.figures, ...parallel.figures] };
}

function tenClustersName(bootstrap: Bootstrap): string {
  return `cluster: ten clusters of three at once, ${bootstrap}`;
}

/** Ten of which each will make a cluster of its own. */
function tenByOperator({ world }: Stage, bootstrap: Bootstrap): readonly ByOperator[] {
  return ten((number) => new ByOperator(world, kindOf(bootstrap), `of-ten-${bootstrap.toLowerCase()}-${number}`));
}

interface Race {
  readonly bootstrap: Bootstrap;
  readonly goal: number;
  readonly rounds: number;
}

/**
 * The number of rounds is odd: who begins the first begins the last, so that the operator's are the last that are made.
 */
async function race(stage: Stage, { bootstrap, goal, rounds }: Race): Promise<TenClusters> {
  const operators = tenByOperator(stage, bootstrap);
  const prefix = `of-ten-${bootstrap.toLowerCase()}`;
  const hands = ten((number) => new ByHand(stage.world, kindOf(bootstrap), `${prefix}-${number}`));
  const match = new Match<readonly Contestant[], number>([hands, operators], async (side) => {
    // There are no others while these are made.
    await Promise.all([...operators, ...hands].map((each) => each.remove()));
    return createAll(side);
  });
  for (let round = 0; round < rounds; round += 1) await match.round();
  if (rounds === 0) return { figures: [], clusters: [] };
  const [values, limits] = [match.theirs, match.ours];
  return {
    figures: [figure({ name: tenClustersName(bootstrap), unit: "ms", values, limits, goal })],
    clusters: operators,
  };
}

async function createAll(contestants: readonly Contestant[]): Promise<number> {
  await Promise.all(contestants.map((contestant) => contestant.prepare()));
  const started = performance.now();
  await Promise.all(contestants.map((contestant) => contestant.create()));
  return performance.now() - started;
}

function ten<Made>(make: (number: number) => Made): readonly Made[] {
  return Array.from({ length: CLUSTERS }, (_, number) => make(number));
}

function kindOf(bootstrap: Bootstrap): Kind {
  return { bootstrap, claims: false, size: 3 };
}
