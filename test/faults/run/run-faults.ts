import { inWords } from "./in-words.ts";
import type { Extent } from "./messages.ts";
import { type Planning, planSuites } from "./plan-suites.ts";
import { toldFailure, toldLeftOut, toldTrouble } from "./report.ts";
import { type RunGiven, runInProcess, runOnLocalMode } from "./run-plans.ts";
import {
  type Finished,
  type Hearer,
  type PlannedSuite,
  Score,
  shareDone,
  type TimedResult,
  type Trouble,
} from "./score.ts";
import { type Output, Screen } from "./screen.ts";
import { type Selection, selectedPlans, selectedSuites } from "./selection.ts";
import type { SuiteEntry, SuiteList } from "./suite-entry.ts";

// The time that the bar shows goes on also where plans are long.
const TICK_MS = 1000;

export interface Asked extends Selection {
  readonly seed: number;
  readonly extent: Extent;
  /** When all ends, wherever it is. */
  readonly limitMs: number;
}

export interface FaultsGiven {
  readonly list: SuiteList;
  readonly out: Output;
  /** Ends everything at once. */
  readonly signal: AbortSignal;
  /** How long no result is waited for; as limits.ts says unless given. */
  readonly patienceMs?: number;
}

/** Plans and runs what was asked for, and reports failures as they come; throws for names that do not exist. */
export async function runFaults(asked: Asked, given: FaultsGiven): Promise<Finished> {
  const run = new FaultsRun(asked, given);
  try {
    await run.plan(selectedSuites(given.list.suites, asked));
    await run.run();
  } finally {
    run.end();
  }
  return run.finished;
}

class FaultsRun implements Hearer {
  readonly #screen: Screen;
  readonly #asked: Asked;
  readonly #given: FaultsGiven;
  readonly #score = new Score();
  readonly #began = performance.now();
  readonly #ends = new AbortController();
  readonly #limit: NodeJS.Timeout;
  readonly #unreached: Error;
  #planned: readonly PlannedSuite[] = [];
  #now = "";

  constructor(asked: Asked, given: FaultsGiven) {
    this.#asked = asked;
    this.#given = given;
    this.#screen = new Screen(given.out);
    this.#unreached = new Error(`the limit of ${inWords(asked.limitMs)} was reached`);
    this.#limit = setTimeout(() => this.#ends.abort(this.#unreached), asked.limitMs);
    given.signal.addEventListener("abort", () => this.#ends.abort(given.signal.reason), { once: true });
  }

  async plan(entries: readonly SuiteEntry[]): Promise<void> {
    const { seed, extent, only } = this.#asked;
    this.#screen.say(`SEED=${seed}, planning: ${entries.map(({ name }) => name).join(", ")}`);
    const { module } = this.#given.list;
    const planning = { module, seed, extent, signal: this.#ends.signal, only, isEchoed: only !== "" };
    const plannings = await planSuites(entries, planning);
    for (const each of plannings) this.#tellUnplanned(each);
    this.#planned = plannings
      .filter((each) => each.kind === "planned")
      .map(({ entry, plans }) => ({ entry, plans: selectedPlans(plans, only) }));
    this.#screen.say(`${this.#plans} plans, after ${inWords(this.#elapsedMs)}`);
  }

  #tellUnplanned(planning: Planning): void {
    if (planning.kind === "planned") return;
    const { kind, entry, why } = planning;
    if (kind === "lacks") this.#leaveOut({ suite: entry.name, why });
    else if (!this.#given.signal.aborted) this.trouble({ suite: entry.name, why });
  }

  #leaveOut(left: Trouble): void {
    this.#score.leftOut.push(left);
    this.#screen.say(toldLeftOut(left));
  }

  async run(): Promise<void> {
    const given: RunGiven = {
      module: this.#given.list.module,
      hearer: this,
      signal: this.#ends.signal,
      isEchoed: this.#asked.only !== "",
      patienceMs: this.#given.patienceMs,
      starts: (suite) => {
        this.#now = suite;
        this.#tellProgress();
      },
    };
    const ofPlace = (place: SuiteEntry["place"]) => this.#planned.filter(({ entry }) => entry.place === place);
    const ticking = setInterval(() => this.#tellProgress(), TICK_MS);
    await runInProcess(ofPlace("in-process"), given);
    // Each has the machine to itself, and a process whose crash is not that of others.
    for (const planned of ofPlace("local-mode")) await runOnLocalMode(planned, given);
    clearInterval(ticking);
    if (this.#ends.signal.reason === this.#unreached) this.#tellUnreached();
  }

  #tellUnreached(): void {
    for (const { entry, plans } of this.#planned) {
      const missing = plans.length - this.#score.doneOf(entry.name);
      const why = `${missing} of ${plans.length} plans were not run: ${this.#unreached.message}`;
      if (missing > 0) this.trouble({ suite: entry.name, why });
    }
  }

  result(result: TimedResult): void {
    if (!this.#score.add(result)) return;
    if (result.failures.length > 0) this.#screen.say(toldFailure(result));
    this.#tellProgress();
  }

  trouble(trouble: Trouble): void {
    this.#score.troubles.push(trouble);
    this.#screen.say(toldTrouble(trouble, this.#asked.seed));
  }

  end(): void {
    clearTimeout(this.#limit);
    this.#screen.end();
  }

  get finished(): Finished {
    const [planned, score, isInterrupted] = [this.#planned, this.#score, this.#given.signal.aborted];
    return { planned, score, tookMs: Math.round(this.#elapsedMs), isInterrupted };
  }

  get #plans(): number {
    return this.#planned.reduce((sum, { plans }) => sum + plans.length, 0);
  }

  get #elapsedMs(): number {
    return performance.now() - this.#began;
  }

  #tellProgress(): void {
    const { results, failures } = this.#score;
    const share = shareDone(this.#planned, this.#score);
    const [done, plans, elapsedMs, now] = [results.length, this.#plans, this.#elapsedMs, this.#now];
    this.#screen.progress({ share, done, plans, failures, elapsedMs, now });
  }
}
