import { type Clock, systemClock } from "@etcd-operator/kubernetes-client";
import { isConflict, reasonOf, retryAfterMsOf } from "./failure.ts";
import { type BackoffLimits, KeyBackoffs } from "./key-backoffs.ts";
import type { Health } from "./observability/health.ts";
import type { Logger } from "./observability/logger.ts";
import type { PassObserver } from "./observability/pass-observer.ts";
import type { Outcome } from "./outcome.ts";
import type { OwnWrites } from "./own-writes.ts";
import { type Pass, type PassResult, type Reconcile, runPass } from "./pass.ts";
import { RunningPasses } from "./running-passes.ts";
import type { Source } from "./source.ts";
import { WorkQueue } from "./work-queue.ts";
import { runWorkers } from "./workers.ts";

export interface RunControllerOptions {
  /** Such as "clusters". */
  readonly name: string;
  /** What one key stands for; the name of its field in the log, such as "cluster". */
  readonly subject: string;
  readonly sources: readonly Source[];
  readonly reconcile: Reconcile;
  /** Whether a key still stands for something; one that does not is forgotten after its pass. */
  readonly exists: (key: string) => boolean;
  readonly ownWrites: OwnWrites;
  /** Every key gets a look at least so often, give or take a fifth, whatever happened to it. */
  readonly resyncMs: number;
  /** The same for keys at rest; as often as all others unless told. */
  readonly restMs?: (() => number) | undefined;
  /** Passes at the same time, each over a key of its own; 4. */
  readonly concurrency?: number | undefined;
  /** As many where passes wait for something, each still over a key of its own; no more than otherwise unless told. */
  readonly mostConcurrency?: number | undefined;
  /** A pass is aborted after so long; 2 minutes. */
  readonly passTimeoutMs?: number | undefined;
  /** Pauses after failures: 200 ms, doubled up to 30 s. */
  readonly backoff?: BackoffLimits | undefined;
  readonly logger: Logger;
  readonly observer?: PassObserver | undefined;
  readonly health?: Health | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: (() => number) | undefined;
}

const BACKOFF: BackoffLimits = { firstMs: 200, lastMs: 30_000 };
/**
 * A key that failed may be woken early by an event, such as a corrected spec, but not sooner: our own writes are events
 * too.
 */
const LONGEST_REST_MS = 1_000;
/** How long a pass may take to heed its abort before we count as hanging. */
const ABORT_GRACE_MS = 60_000;

/**
 * Looks at each key that a source names, again and again, until the signal aborts; returns when the last pass has
 * ended.
 */
export async function runController(options: RunControllerOptions, signal: AbortSignal): Promise<void> {
  await new ReconcileLoop(options).run(signal);
}

class ReconcileLoop {
  readonly #options: RunControllerOptions;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #timeoutMs: number;
  readonly #queue: WorkQueue;
  readonly #backoffs: KeyBackoffs;
  readonly #passes: RunningPasses;
  /** Keys whose last writes the caches had not seen when we stopped waiting. */
  readonly #late = new Set<string>();
  /** Keys that have been at rest. */
  readonly #rested = new Set<string>();
  /** Keys whose pass is over, and which wait for the caches. */
  readonly #holds = new Set<Promise<void>>();

  constructor(options: RunControllerOptions) {
    const { clock = systemClock, random = Math.random, observer, backoff = BACKOFF, passTimeoutMs = 120_000 } = options;
    this.#options = options;
    this.#clock = clock;
    this.#random = random;
    this.#timeoutMs = passTimeoutMs;
    this.#queue = new WorkQueue({ clock, observer });
    this.#backoffs = new KeyBackoffs(backoff, random);
    this.#passes = new RunningPasses(clock, passTimeoutMs + ABORT_GRACE_MS);
  }

  async run(signal: AbortSignal): Promise<void> {
    const { name, sources, concurrency = 4, mostConcurrency = concurrency, health } = this.#options;
    const undo = sources.map((source) => source((key) => this.#queue.add(key)));
    if (health) undo.push(health.addLiveness(name, () => this.#passes.complaint));
    try {
      await runWorkers({
        usual: concurrency,
        most: mostConcurrency,
        take: () => this.#queue.take(signal),
        handle: (key) => this.#work(key, signal),
        clock: this.#clock,
      });
      await Promise.all(this.#holds);
    } finally {
      for (const each of undo) each();
      this.#queue.close();
    }
  }

  async #work(key: string, signal: AbortSignal): Promise<void> {
    const result = await this.#pass(key, signal);
    // A key that waits for the caches holds up no other key.
    const hold = this.#settle(key, result, signal).finally(() => this.#holds.delete(hold));
    this.#holds.add(hold);
  }

  async #pass(key: string, signal: AbortSignal): Promise<PassResult> {
    const { reconcile, ownWrites, observer } = this.#options;
    const pass: Pass = {
      mustReadLive: this.#late.delete(key),
      writes: ownWrites.logOf(key),
      logger: this.#loggerOf(key),
    };
    const limits = { clock: this.#clock, timeoutMs: this.#timeoutMs };
    const end = this.#passes.start(key);
    const result = await runPass((passSignal) => reconcile(key, passSignal, pass), limits, signal);
    const durationMs = end();
    observer?.ended(key, durationMs);
    if (result.kind === "ended") pass.logger.debug({ outcome: result.outcome, durationMs }, "pass ended");
    return result;
  }

  /** Gives the key back once the caches have seen what its pass wrote, and sees to it that it comes again. */
  async #settle(key: string, result: PassResult, signal: AbortSignal): Promise<void> {
    const { ownWrites, exists } = this.#options;
    if ((await ownWrites.settle(key, signal)) === "late") {
      this.#late.add(key);
      if (!signal.aborted)
        this.#loggerOf(key).warn("caches stale after our writes; the next reconcile reads from the API server");
    }
    if (signal.aborted || result.kind === "abandoned") return;
    if (result.kind === "failed") return this.#failed(key, result.error);
    this.#backoffs.reset(key);
    this.#queue.done(key);
    if (exists(key)) this.#queue.addAfter(key, this.#delayMs(key, result.outcome));
    else this.#forget(key);
  }

  #failed(key: string, error: unknown): void {
    const reason = reasonOf(error);
    const retryMs = Math.round(this.#backoffs.nextMs(key, retryAfterMsOf(error)));
    this.#options.observer?.failed(key, reason);
    const logger = this.#loggerOf(key);
    if (isConflict(error)) logger.info({ reason, retryMs, message: String(error) }, "update conflict, retrying");
    else logger.warn({ err: error, reason, retryMs }, "pass failed");
    this.#queue.done(key, { restMs: Math.min(retryMs, LONGEST_REST_MS) });
    this.#queue.addAfter(key, retryMs);
  }

  #delayMs(key: string, outcome: Outcome): number {
    const { resyncMs, restMs = () => resyncMs } = this.#options;
    if (outcome.kind !== "rest") {
      const spreadMs = this.#spread(resyncMs, 0.8, 1.2);
      return outcome.kind === "retry" ? Math.min(outcome.afterMs, spreadMs) : spreadMs;
    }
    const { atMostMs = Number.POSITIVE_INFINITY } = outcome;
    const usualMs = restMs();
    if (this.#rested.has(key)) return Math.min(atMostMs, this.#spread(usualMs, 0.8, 1.2));
    // After a start all are looked at within seconds; minutes later they must not come in such a crowd again.
    this.#rested.add(key);
    return Math.min(atMostMs, this.#spread(usualMs, 0, 1));
  }

  /** Spread, so that a thousand keys do not come back at one moment for ever after they began at one. */
  #spread(usualMs: number, least: number, most: number): number {
    return Math.round(usualMs * (least + (most - least) * this.#random()));
  }

  #forget(key: string): void {
    this.#late.delete(key);
    this.#rested.delete(key);
    this.#options.ownWrites.forget(key);
    this.#options.observer?.forgotten(key);
  }

  #loggerOf(key: string): Logger {
    return this.#options.logger.child({ [this.#options.subject]: key });
  }
}
