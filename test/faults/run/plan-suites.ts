import type { Plan } from "../plan.ts";
import { WORKERS } from "./limits.ts";
import type { Extent } from "./messages.ts";
import type { PlannedSuite } from "./score.ts";
import { nameIn } from "./selection.ts";
import { inSuiteChild } from "./suite-child.ts";
import type { SuiteEntry } from "./suite-entry.ts";

const PATIENCE_MS = 300_000;

export interface PlanningGiven {
  readonly module: URL;
  readonly seed: number;
  readonly extent: Extent;
  readonly signal: AbortSignal;
  readonly isEchoed: boolean;
  /** A suite, or how names of its plans begin, too; all where it is empty. */
  readonly only: string;
}

/** What became of the planning of a suite. */
export type Planning =
  | ({ readonly kind: "planned" } & PlannedSuite)
  | { readonly kind: "lacks" | "failed"; readonly entry: SuiteEntry; readonly why: string };

/** Asks every suite for its plans, each in a process of its own. */
export async function planSuites(entries: readonly SuiteEntry[], given: PlanningGiven): Promise<readonly Planning[]> {
  const waiting = [...entries.entries()];
  const planned: Planning[] = [];
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) planned[next[0]] = await planSuite(next[1], given);
  };
  await Promise.all(Array.from({ length: WORKERS }, work));
  return planned;
}

async function planSuite(entry: SuiteEntry, given: PlanningGiven): Promise<Planning> {
  const { module, seed, extent, signal, isEchoed } = given;
  const only = nameIn(given.only);
  const heard: { plans?: readonly Plan[]; lack?: string } = {};
  const outcome = await inSuiteChild({
    module,
    order: { do: "plan", suite: entry.name, seed, extent, only },
    patienceMs: PATIENCE_MS,
    graceMs: 0,
    signal,
    isEchoed,
    hear(word) {
      if (word.kind === "plans") heard.plans = word.plans;
      if (word.kind === "lack") heard.lack = word.what;
    },
  });
  if (heard.lack !== undefined) return { kind: "lacks", entry, why: heard.lack };
  if (heard.plans) return { kind: "planned", entry, plans: heard.plans };
  return { kind: "failed", entry, why: `no plans: ${outcome.kind === "lost" ? outcome.why : signal.reason}` };
}
