import type { Workload } from "../workloads/workload.ts";
import { workloads } from "../workloads/workloads.ts";
import { awayWorkloads } from "./away-workloads.ts";

export type ClockFault =
  /** The operators' wall clock is wrong from the start. */
  | { readonly kind: "clock"; readonly aheadMs: number }
  /** It is set while the operator works: at its first, middle or last write. */
  | { readonly kind: "step"; readonly aheadMs: number; readonly at: Place }
  /** The operator crashes there, and the one that follows has another clock. */
  | { readonly kind: "successor"; readonly aheadMs: number; readonly at: Place }
  /** The clock of the node is wrong, which sets the times of pods' conditions. */
  | { readonly kind: "node"; readonly aheadMs: number }
  /** What the user does is seen at once, but not that the cluster belongs to an operator of another scope by then. */
  | { readonly kind: "scope" };

/** Of the writes that there are where nothing goes wrong. */
export type Place = "first" | "middle" | "last";

/** A workload, and what is wrong with clocks or scopes meanwhile. */
export interface ClockPlay {
  readonly name: string;
  readonly workload: Workload;
  readonly fault: ClockFault;
}

const UNITS = { "30s": 30_000, "1h": 3_600_000, "1d": 86_400_000 };
const AMOUNTS = Object.entries(UNITS).flatMap(([unit, ms]) => [
  { word: `ahead-${unit}`, aheadMs: ms },
  { word: `behind-${unit}`, aheadMs: -ms },
]);
const HOURS = AMOUNTS.filter(({ word }) => word.endsWith("1h"));
const PLACES: readonly Place[] = ["first", "middle", "last"];

const named = (...names: readonly string[]) =>
  [...awayWorkloads, ...workloads].filter(({ name }) => names.includes(name));
const SKEWED = named("briefly-away", "silent", "create", "replace", "pvc-pod-lost", "upgrade", "backup", "restore");
/** Those in which something is waited for. */
const WAITING = named("briefly-away", "silent", "replace", "pvc-pod-lost", "restore");
const ON_NODES = named("briefly-away", "silent", "pvc-pod-lost", "upgrade");
/** In which only pods change. */
const SCOPED = named("replace", "pvc-pod-lost");

/** Every workload with a wait in it, with every clock that may be wrong. */
export const clockPlays: readonly ClockPlay[] = [
  ...SKEWED.flatMap((workload) =>
    AMOUNTS.map(({ word, aheadMs }) => playOf(workload, `clock-${word}`, { kind: "clock", aheadMs })),
  ),
  ...(["step", "successor"] as const).flatMap((kind) =>
    WAITING.flatMap((workload) =>
      HOURS.flatMap(({ word, aheadMs }) =>
        PLACES.map((at) => playOf(workload, `${kind}-${word}-at-${at}`, { kind, aheadMs, at })),
      ),
    ),
  ),
  ...ON_NODES.flatMap((workload) =>
    HOURS.map(({ word, aheadMs }) => playOf(workload, `node-${word}`, { kind: "node", aheadMs })),
  ),
  ...SCOPED.map((workload) => playOf(workload, "scope", { kind: "scope" })),
];

function playOf(workload: Workload, word: string, fault: ClockFault): ClockPlay {
  return { name: `${workload.name}/${word}`, workload, fault };
}
