import type { ObjectsName } from "../objects.ts";
import type { Play } from "../play.ts";
import { CHANGES } from "./change.ts";
import { Journey, type Way } from "./journey.ts";
import { type Departure, type Pair, pairName, pairWorkload } from "./pair-workload.ts";

const DEPARTURES: readonly Departure[] = (["midway", "afterwards"] as const).flatMap((when) =>
  (["before", "between"] as const).map((to) => ({ when, to })),
);
const WAYS = ["crash", "relist"] as const;
const STAYS_MS = [5_000, 30_000, 120_000];

/**
 * Every pair of deletions and changes of size, once for each departure; how one gets there and what is seen so takes
 * turns.
 */
export function travels(seed: number): readonly Play[] {
  const journeys = PAIRS.flatMap((pair) => DEPARTURES.map((departure) => ({ pair, departure })));
  return journeys.map(({ pair, departure }, index) => {
    const turn = index + seed;
    const objects = OBJECTS_SEEN[Math.floor(turn / 2) % OBJECTS_SEEN.length] ?? "everything";
    // One further with each pair, or each departure would always be made in the same way.
    const by = WAYS[(turn + Math.floor(index / DEPARTURES.length)) % WAYS.length] ?? "crash";
    const forMs = STAYS_MS[Math.floor(turn / 3) % STAYS_MS.length] ?? 0;
    return travel(pair, departure, { to: departure.to, by, forMs }, objects);
  });
}

const OBJECTS_SEEN: readonly ObjectsName[] = ["everything", "clusters", "pods", "children", "everything"];

const PAIRS: readonly Pair[] = [false, true].flatMap((onClaims) => {
  const changes = CHANGES.filter(({ needsClaims }) => onClaims || !needsClaims);
  return changes.flatMap((first) => changes.map((second) => ({ first, second, onClaims })));
});

const UNTOLD = { mark: () => undefined, depart: () => undefined };

export function travel(pair: Pair, { when, to }: Departure, way: Way, objects: ObjectsName): Play {
  return {
    name: `${pairName(pair)}/${way.by}-${when}-to-${to}-for-${way.forMs}-ms-of-${objects}`,
    row: "time travel",
    objects,
    calm: pairWorkload(pair, when, UNTOLD),
    begin: () => {
      const journey = new Journey(way);
      return { workload: pairWorkload(pair, when, journey), kind: journey };
    },
  };
}
