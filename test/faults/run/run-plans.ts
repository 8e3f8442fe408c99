import type { Plan } from "../plan.ts";
import { GRACE_MS, MOST_PLANS_PER_PROCESS, PATIENCE_MS, WORKERS } from "./limits.ts";
import type { Hearer, PlannedSuite } from "./score.ts";
import { inSuiteChild, type Outcome } from "./suite-child.ts";

export interface RunGiven {
  readonly module: URL;
  readonly hearer: Hearer;
  readonly signal: AbortSignal;
  readonly isEchoed: boolean;
  readonly patienceMs?: number | undefined;
  /** Gets what runs from now on. */
  readonly starts: (suite: string) => void;
}

/** Runs suites on virtual time, divided among a few processes. */
export async function runInProcess(planned: readonly PlannedSuite[], given: RunGiven): Promise<void> {
  const waiting = planned.flatMap(parts);
  const work = async () => {
    for (let part = waiting.shift(); part && !given.signal.aborted; part = waiting.shift()) {
      given.starts(part.entry.name);
      const rest = await runPart(part, given);
      if (rest.plans.length > 0) waiting.unshift(rest);
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, work));
}

/** At least a few for each worker, so that none is idle while another has them all. */
function parts({ entry, plans }: PlannedSuite): readonly PlannedSuite[] {
  const size = Math.min(MOST_PLANS_PER_PROCESS, Math.ceil(plans.length / (2 * WORKERS)));
  return Array.from({ length: Math.ceil(plans.length / size) }, (_, at) => ({
    entry,
    plans: plans.slice(at * size, (at + 1) * size),
  }));
}

/** What is left to run: those behind one in which the process was lost. */
async function runPart(part: PlannedSuite, given: RunGiven): Promise<PlannedSuite> {
  const { outcome, without } = await runInChild(part, given);
  const [current, ...rest] = without;
  if (outcome.kind === "lost" && current) {
    given.hearer.result({ plan: current, failures: [outcome.why] });
    return { ...part, plans: rest };
  }
  tellUntold({ ...part, plans: without }, outcome, given);
  return { ...part, plans: [] };
}

/**
 * Runs a suite that does several plans at a time; where its process is lost, again with those that have no result,
 * while there is progress.
 */
export async function runOnLocalMode(planned: PlannedSuite, given: RunGiven): Promise<void> {
  given.starts(planned.entry.name);
  for (let { plans } = planned; plans.length > 0 && !given.signal.aborted; ) {
    const { outcome, without } = await runInChild({ ...planned, plans }, given);
    tellUntold({ ...planned, plans: without }, outcome, given);
    if (outcome.kind !== "lost" || without.length === plans.length) return;
    plans = without;
  }
}

/** A plan without a result must not count as passed. */
function tellUntold({ entry, plans }: PlannedSuite, outcome: Outcome, { hearer }: RunGiven): void {
  if (outcome.kind === "lost") {
    const missing = plans.length === 0 ? "after all results" : `with ${plans.length} plans without a result`;
    hearer.trouble({ suite: entry.name, why: `${missing}: ${outcome.why}` });
    return;
  }
  if (outcome.kind === "stopped") return;
  for (const plan of plans) hearer.result({ plan, failures: ["its suite ended without a result of it"] });
}

async function runInChild(
  { entry, plans }: PlannedSuite,
  { module, hearer, signal, isEchoed, patienceMs = PATIENCE_MS[entry.place] }: RunGiven,
): Promise<{ readonly outcome: Outcome; readonly without: readonly Plan[] }> {
  const missing = new Map(plans.map((plan) => [plan.name, plan]));
  let sinceMs = performance.now();
  const outcome = await inSuiteChild({
    module,
    order: { do: "run", suite: entry.name, plans },
    patienceMs,
    graceMs: GRACE_MS[entry.place],
    signal,
    isEchoed,
    hear(word) {
      if (word.kind !== "result" || !missing.delete(word.result.plan.name)) return;
      const tookMs = entry.place === "in-process" ? Math.round(performance.now() - sinceMs) : undefined;
      sinceMs = performance.now();
      hearer.result({ ...word.result, tookMs });
    },
  });
  return { outcome, without: [...missing.values()] };
}
