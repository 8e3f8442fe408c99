import type { Workload } from "../workloads/workload.ts";
import { workloads } from "../workloads/workloads.ts";
import { EVEN_VIEWS, UNEVEN_VIEWS } from "./every-view.ts";
import { OBJECTS, type ObjectsName } from "./objects.ts";
import type { Play } from "./play.ts";
import type { ViewKind } from "./view-kinds.ts";

const OBJECTS_NAMES = Object.keys(OBJECTS) as readonly ObjectsName[];

interface Seen {
  readonly kind: ViewKind;
  readonly objects: ObjectsName;
}

const EVERY_VIEW: readonly Seen[] = [
  ...UNEVEN_VIEWS.flatMap((kind) => OBJECTS_NAMES.map((objects) => ({ kind, objects }))),
  ...EVEN_VIEWS.map((kind) => ({ kind, objects: "everything" as const })),
];

/** Of all that there could be for a workload, one of so many, each workload its own and each seed another. */
const EVERY = 3;

/** Every workload, seen wrongly. */
export function viewed(seed: number): readonly Play[] {
  return workloads.flatMap((workload, index) =>
    EVERY_VIEW.filter((_, at) => (at + index + seed) % EVERY === 0).map((seen) => playOf(workload, seen)),
  );
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
