import { type Figure, figure } from "../figure.ts";
import { Match } from "../match.ts";
import { repetitions } from "../repetitions.ts";
import { ByHand } from "./by-hand.ts";
import { ByOperator } from "./by-operator.ts";
import type { Contestant, Kind } from "./contestant.ts";
import type { Stage } from "./stage.ts";

export const CLUSTERS = 10;

const races = [
  { bootstrap: "Parallel", goal: 1.5, rounds: repetitions(5, 1) },
  { bootstrap: "Sequential", goal: 1.15, rounds: repetitions(5, 0) },
] as const;

/** Ten clusters of three at once, until the last is whole. */
export async function measureTenClusters(stage: Stage): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const { bootstrap, goal, rounds } of races) {
    const kind = { bootstrap, claims: false, size: 3 } as const;
    const sides = [
      tenByOperator(stage, kind),
      ten((number) => new ByHand(stage.world, kind, prefix(kind, number))),
    ] as const;
    const match = new Match(sides, createdAndRemoved);
    for (let round = 0; round < rounds; round += 1) await match.round();
    const name = tenClustersName(bootstrap);
    if (rounds > 0) figures.push(figure({ name, unit: "ms", values: match.ours, limits: match.theirs, goal }));
  }
  return figures;
}

export function tenClustersName(bootstrap: Kind["bootstrap"]): string {
  return `cluster: ten clusters of three at once, ${bootstrap}`;
}

/** Ten of which each will make a cluster of its own. */
export function tenByOperator({ world }: Stage, kind: Kind): readonly ByOperator[] {
  return ten((number) => new ByOperator(world, kind, prefix(kind, number)));
}

function ten<Made>(make: (number: number) => Made): readonly Made[] {
  return Array.from({ length: CLUSTERS }, (_, number) => make(number));
}

function prefix({ bootstrap }: Kind, number: number): string {
  return `of-ten-${bootstrap.toLowerCase()}-${number}`;
}

async function createdAndRemoved(contestants: readonly Contestant[]): Promise<number> {
  await Promise.all(contestants.map((contestant) => contestant.prepare()));
  const started = performance.now();
  await Promise.all(contestants.map((contestant) => contestant.create()));
  const durationMs = performance.now() - started;
  await Promise.all(contestants.map((contestant) => contestant.remove()));
  return durationMs;
}
