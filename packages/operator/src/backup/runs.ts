import type { Source } from "@etcd-operator/controller-runtime";
import { BackgroundRuns, type RunContext, type RunState } from "@etcd-operator/controller-runtime";
import { type Clock, onAbort, pause } from "@etcd-operator/kubernetes-client";
import type { DrillAbout, DrillOutcome, RunAbout, RunOutcome, RunProgress } from "./observation.ts";

/** The backups that this process is taking. */
export type BackupRuns = Runs<RunAbout, RunOutcome, RunProgress>;
/** The drills that it carries out. */
export type DrillRuns = Runs<DrillAbout, DrillOutcome>;

export interface RunsOptions<Outcome, Progress> {
  readonly clock: Clock;
  /** How many work at the same time, as long as none takes longer than `patienceMs`. */
  readonly atOnce: number;
  readonly patienceMs?: number;
  /** What to make of an unexpected error. */
  readonly failed: (error: unknown, nowMs: number) => Outcome;
  /**
   * The part of the progress that must be recorded at once: the process after this one needs it if this one is
   * killed.
   */
  readonly isNews?: (progress: Progress, shown: Progress | undefined) => boolean;
}

/** A run as the reconciles of its object see it. */
export interface Seen<About, Outcome, Progress> {
  readonly about: About;
  readonly state: /** Others are at work; it comes in its turn. */
    | { readonly kind: "queued" }
    | { readonly kind: "running"; readonly progress: Progress | undefined }
    | { readonly kind: "ended"; readonly outcome: Outcome };
}

export interface WorkContext<Progress> extends RunContext<Progress> {
  /** Reports, and resolves when that is on record: for what must be known to others before it is done. */
  readonly recorded: (progress: Progress, signal: AbortSignal) => Promise<void>;
}

export type Work<Outcome, Progress> = (context: WorkContext<Progress>) => Promise<Outcome>;

const NAME = "run";
/** What is shown of a transfer changes so often and no more: each change is a write. */
const PROGRESS_MS = 5_000;
/** Until the store has removed the partial upload. */
const STOP_MS = 5_000;

/** What this process does outside the reconciles, at most one thing for each object, with its inputs. */
export class Runs<About, Outcome, Progress = never> {
  readonly #options: RunsOptions<Outcome, Progress>;
  readonly #runs: BackgroundRuns<Outcome, Progress>;
  readonly #abouts = new Map<string, About>();
  /** Callers that wait until a reconcile has recorded what they reported. */
  readonly #unwritten = new Map<string, { readonly progress: Progress; readonly resolve: () => void }>();

  constructor(options: RunsOptions<Outcome, Progress>) {
    const { clock, atOnce, patienceMs } = options;
    this.#options = options;
    // What is reported is thinned out already: a status that is written wakes its key, which would find other bytes.
    this.#runs = new BackgroundRuns({ atOnce, patienceMs, progressMs: 0, clock });
  }

  get source(): Source {
    return this.#runs.source;
  }

  seen(key: string): Seen<About, Outcome, Progress> | undefined {
    const about = this.#abouts.get(key);
    const state = this.#runs.stateOf(key, NAME);
    return about && state && { about, state: this.#stateOf(state) };
  }

  start(key: string, about: About, work: Work<Outcome, Progress>): void {
    this.#abouts.set(key, about);
    this.#runs.start(key, NAME, async (context) => {
      const { report, stop } = thinnedOut(context.report, this.#options);
      const recorded = (progress: Progress, signal: AbortSignal) =>
        new Promise<void>((resolve, reject) => {
          const leave = onAbort(signal, () => reject(signal.reason));
          this.#unwritten.set(key, { progress, resolve: () => resolve(leave()) });
          report(progress);
        });
      return work({ ...context, report, recorded }).finally(stop);
    });
  }

  /** A reconcile that observed this run has recorded it. */
  written(key: string, { state }: Seen<About, Outcome, Progress>): void {
    const waiting = this.#unwritten.get(key);
    if (!waiting || state.kind !== "running" || state.progress !== waiting.progress) return;
    this.#unwritten.delete(key);
    waiting.resolve();
  }

  /** Cancels it if it has not ended, and forgets it. Returns when it has stopped, or does not within a while. */
  async drop(key: string): Promise<void> {
    this.#abouts.delete(key);
    this.#unwritten.delete(key);
    await this.#atMost(this.#runs.drop(key));
  }

  async close(): Promise<void> {
    this.#abouts.clear();
    await this.#atMost(this.#runs.close());
  }

  #stateOf(state: RunState<Outcome, Progress>): Seen<About, Outcome, Progress>["state"] {
    switch (state.kind) {
      case "queued":
      case "running":
        return state;
      case "ended":
        return { kind: "ended", outcome: state.result };
      case "failed":
        return { kind: "ended", outcome: this.#options.failed(state.error, this.#options.clock.now()) };
    }
  }

  async #atMost(stopped: Promise<void>): Promise<void> {
    const enough = new AbortController();
    await Promise.race([stopped, pause(this.#options.clock, STOP_MS, enough.signal)]);
    enough.abort();
  }
}

/** The first at once, and then the newest now and then; news at once. */
function thinnedOut<Progress>(
  report: (progress: Progress) => void,
  { clock, isNews = () => false }: Pick<RunsOptions<unknown, Progress>, "clock" | "isNews">,
) {
  let newest: { readonly progress: Progress } | undefined;
  let shown: Progress | undefined;
  let cancel: (() => void) | undefined;
  const tell = () => {
    cancel?.();
    cancel = undefined;
    if (!newest) return;
    shown = newest.progress;
    report(shown);
    newest = undefined;
    cancel = clock.after(PROGRESS_MS, tell);
  };
  return {
    report(progress: Progress) {
      newest = { progress };
      if (!cancel || isNews(progress, shown)) tell();
    },
    stop: () => cancel?.(),
  };
}
