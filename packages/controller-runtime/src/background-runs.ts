import { type Clock, systemClock } from "@etcd-operator/kubernetes-client";
import type { Source } from "./source.ts";

/**
 * What became of a piece of work. Memory may vanish at any moment, so "not known" has to mean "start it, or look what
 * it left".
 */
export type RunState<Result, Progress> =
  /** Others are at work; it comes in its turn. */
  | { readonly kind: "queued" }
  | { readonly kind: "running"; readonly progress: Progress | undefined }
  | { readonly kind: "ended"; readonly result: Result }
  | { readonly kind: "failed"; readonly error: unknown };

export interface RunContext<Progress> {
  /** Aborts when the result is not needed any more. */
  readonly signal: AbortSignal;
  /** How far it has got; wakes the key now and then. */
  readonly report: (progress: Progress) => void;
}

export interface BackgroundRunsOptions {
  /** How many work at the same time; 2. */
  readonly atOnce?: number | undefined;
  /**
   * Who has worked for longer no longer counts as one of those: what waits in vain must not keep others from beginning.
   * For ever.
   */
  readonly patienceMs?: number | undefined;
  /** Progress wakes a key at most so often; 5 s. */
  readonly progressMs?: number | undefined;
  readonly clock?: Clock | undefined;
}

interface Run<Result, Progress> {
  readonly key: string;
  readonly abort: AbortController;
  readonly work: (context: RunContext<Progress>) => Promise<Result>;
  state: RunState<Result, Progress>;
  /** By the clock that only grows. */
  startedAt: number;
  cancelWake: (() => void) | undefined;
  done: Promise<void>;
}

/**
 * Work that takes longer than a pass may: copying gigabytes, say. A pass starts it under a name, and finds out in later
 * passes what became of it; the key is woken when it gets on and when it ends. A key may have several, under different
 * names.
 */
export class BackgroundRuns<Result, Progress = never> {
  readonly #atOnce: number;
  readonly #patienceMs: number;
  readonly #progressMs: number;
  readonly #clock: Clock;
  readonly #runs = new Map<string, Run<Result, Progress>>();
  #wake: (key: string) => void = () => undefined;
  #cancelNext: () => void = () => undefined;
  #isClosed = false;

  constructor(options: BackgroundRunsOptions = {}) {
    const { atOnce = 2, patienceMs = Number.POSITIVE_INFINITY, progressMs = 5_000, clock = systemClock } = options;
    this.#atOnce = atOnce;
    this.#patienceMs = patienceMs;
    this.#progressMs = progressMs;
    this.#clock = clock;
  }

  /** For the controller's list of sources. */
  readonly source: Source = (add) => {
    this.#wake = add;
    return () => {
      this.#wake = () => undefined;
    };
  };

  /** Undefined when there is no such run: it was never started here, or has been dropped. */
  stateOf(key: string, name: string): RunState<Result, Progress> | undefined {
    return this.#runs.get(idOf(key, name))?.state;
  }

  /** Does nothing when there is a run of that name, whatever its state: drop it first to have it again. */
  start(key: string, name: string, work: (context: RunContext<Progress>) => Promise<Result>): void {
    const id = idOf(key, name);
    if (this.#isClosed || this.#runs.has(id)) return;
    const run = { key, abort: new AbortController(), work, startedAt: 0, cancelWake: undefined };
    this.#runs.set(id, { ...run, state: { kind: "queued" }, done: Promise.resolve() });
    this.#next();
  }

  /** Calls off what a key has under way, or that of one name, and forgets it. Resolves when it has really stopped. */
  async drop(key: string, name?: string): Promise<void> {
    const isMeant = (id: string, run: { key: string }) => run.key === key && (!name || id === idOf(key, name));
    await this.#end([...this.#runs].filter(([id, run]) => isMeant(id, run)));
  }

  /** Calls off everything: nothing is started afterwards. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#end([...this.#runs]);
  }

  async #end(ended: readonly (readonly [string, Run<Result, Progress>])[]): Promise<void> {
    for (const [id, run] of ended) {
      this.#runs.delete(id);
      run.cancelWake?.();
      run.abort.abort();
    }
    if (this.#isClosed) this.#cancelNext();
    await Promise.all(ended.map(([, run]) => run.done));
  }

  #next(): void {
    const runs = [...this.#runs.values()];
    const now = this.#clock.monotonic();
    const isCounted = ({ state, startedAt }: (typeof runs)[0]) =>
      state.kind === "running" && startedAt + this.#patienceMs > now;
    const free = this.#atOnce - runs.filter(isCounted).length;
    const queued = runs.filter(({ state }) => state.kind === "queued");
    for (const run of queued.slice(0, Math.max(0, free))) run.done = this.#carryOut(run);
    this.#cancelNext();
    const leaves = runs.filter(isCounted).map(({ startedAt }) => startedAt + this.#patienceMs - now);
    const nextMs = queued.length > free ? Math.min(...leaves) : Number.POSITIVE_INFINITY;
    if (Number.isFinite(nextMs)) this.#cancelNext = this.#clock.after(nextMs, () => this.#next());
  }

  async #carryOut(run: Run<Result, Progress>): Promise<void> {
    run.state = { kind: "running", progress: undefined };
    run.startedAt = this.#clock.monotonic();
    const report = (progress: Progress) => {
      if (run.state.kind !== "running" || run.abort.signal.aborted) return;
      run.state = { kind: "running", progress };
      this.#wakeLater(run);
    };
    try {
      run.state = { kind: "ended", result: await run.work({ signal: run.abort.signal, report }) };
    } catch (error) {
      run.state = { kind: "failed", error };
    }
    run.cancelWake?.();
    this.#next();
    if (!run.abort.signal.aborted) this.#wake(run.key);
  }

  #wakeLater(run: Run<Result, Progress>): void {
    run.cancelWake ??= this.#clock.after(this.#progressMs, () => {
      run.cancelWake = undefined;
      this.#wake(run.key);
    });
  }
}

function idOf(key: string, name: string): string {
  return `${key}\0${name}`;
}
