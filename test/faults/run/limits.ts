import type { Suite } from "../plan.ts";

type PerPlace = Readonly<Record<Suite["place"], number>>;

/** How long no plan of a process may come to its end. */
export const PATIENCE_MS: PerPlace = { "in-process": 120_000, "local-mode": 600_000 };

/** How long a process may take to end what it has started: nothing outlives one that works on virtual time. */
export const GRACE_MS: PerPlace = { "in-process": 0, "local-mode": 90_000 };

/** How many processes on virtual time run beside each other: each keeps a core busy. */
export const WORKERS = 2;

/**
 * Enough that loading and warming up, about three seconds, do not count; few enough that all cores are busy to the end.
 */
export const MOST_PLANS_PER_PROCESS = 150;
