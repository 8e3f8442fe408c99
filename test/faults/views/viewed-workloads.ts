import type { Workload } from "../workloads/workload.ts";
import { workloads } from "../workloads/workloads.ts";
import { EVEN_VIEWS, LATE_VIEWS, UNEVEN_VIEWS } from "./every-view.ts";
import { OBJECTS, type ObjectsName } from "./objects.ts";
import type { Play } from "./play.ts";
import type { ViewKind } from "./view-kinds.ts";

const OBJECTS_NAMES = Object.keys(OBJECTS) as readonly ObjectsName[];

interface Seen {
  readonly kind: ViewKind;
  readonly objects: ObjectsName;
}

const SEEN_LATE: readonly Seen[] = LATE_VIEWS.flatMap((kind) => OBJECTS_NAMES.map((objects) => ({ kind, objects })));
const SEEN_OTHERWISE: readonly Seen[] = [
  ...UNEVEN_VIEWS.flatMap((kind) => OBJECTS_NAMES.map((objects) => ({ kind, objects }))),
  ...EVEN_VIEWS.map((kind) => ({ kind, objects: "everything" as const })),
];

/** Of all that there could be for a workload, one of so many, each workload its own and each seed another. */
const EVERY = 3;
/**
 * A prime that is neither the number of views that are late nor that of groups of objects: each of both has its turn
 * with the other.
 */
const EVERY_LATE = 13;

/** Every workload, seen wrongly. */
export function viewed(seed: number): readonly Play[] {
  return workloads.flatMap((workload, index) => {
    const inTurn = (of: readonly Seen[], every: number) => of.filter((_, at) => (at + index + seed) % every === 0);
    const seen = [...inTurn(SEEN_LATE, EVERY_LATE), ...inTurn(SEEN_OTHERWISE, EVERY)];
    return seen.map((each) => playOf(workload, each));
  });
}

export function playOf(workload: Workload, { kind, objects }: Seen): Play {
  return {
    name: `${workload.name}/${kind.name}-of-${objects}`,
    row: workload.name,
    objects,
    comesUp: kind.comesUp,
    calm: workload,
    begin: () => ({ workload, kind }),
  };
}
