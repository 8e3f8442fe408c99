import type { RunHistory } from "../history/operation.ts";

export interface Gap {
  readonly fromMs: number;
  readonly toMs: number;
}

const NONE: Gap = { fromMs: 0, toMs: 0 };

/** The longest time between two acknowledged changes of one epoch: a restore ends one, and is no gap. */
export function longestGap({ epochs, operations }: RunHistory): Gap {
  return epochs.map(({ number }) => gapOf(operations, number)).reduce(longer, NONE);
}

function gapOf(operations: RunHistory["operations"], number: number): Gap {
  const times = operations
    .filter(({ epoch, outcome }) => epoch === number && outcome.kind === "ok" && outcome.hasChanged)
    .map(({ returnedMs }) => Math.round(returnedMs))
    .sort((one, other) => one - other);
  return times.map((toMs, at) => ({ fromMs: times[at - 1] ?? toMs, toMs })).reduce(longer, NONE);
}

function longer(one: Gap, other: Gap): Gap {
  return other.toMs - other.fromMs > one.toMs - one.fromMs ? other : one;
}
