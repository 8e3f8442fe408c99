import { toldFailure, toldTrouble } from "./report.ts";
import { runFaults } from "./run-faults.ts";
import type { SuiteList } from "./suite-entry.ts";

const SEED = 1;
// A machine that does other work as well takes three times as long; what hangs is found sooner, by its silence.
const LIMIT_MS = 540_000;

/** What a run of the quick plans of all suites on virtual time came to. */
export interface QuickRun {
  readonly plans: number;
  /** Each as `make faults` would print it. */
  readonly failures: readonly string[];
}

/** The part that every `make test` runs, in processes of its own like everything else. */
export async function runQuick(list: SuiteList): Promise<QuickRun> {
  const suite = list.suites.filter(({ place }) => place === "in-process").map(({ name }) => name);
  const { score } = await runFaults(
    { seed: SEED, extent: "quick", suite: suite.join(","), only: "", limitMs: LIMIT_MS },
    { list, out: { write: () => undefined }, signal: new AbortController().signal },
  );
  const troubles = score.troubles.map((trouble) => toldTrouble(trouble, SEED));
  return { plans: score.results.length, failures: [...score.failed.map(toldFailure), ...troubles] };
}
