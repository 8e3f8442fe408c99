import assert from "node:assert/strict";
import type { Reconcile } from "@etcd-operator/controller-runtime";
import {
  createLogger,
  Health,
  OwnWrites,
  type RunControllerOptions,
  runController,
} from "@etcd-operator/controller-runtime";
import { Cache } from "@etcd-operator/kubernetes-client/watch/cache.ts";
import type { ConfigMap } from "kubernetes-types/core/v1.d.ts";
import { FakeClock } from "../kubernetes/fake-clock.ts";

/** For tests: a controller whose time, caches and events are in the test's hands. */
export class LoopUnderTest {
  readonly clock = new FakeClock();
  /** The one cache, of ConfigMaps, that shows what reconciles write. */
  readonly cache = new Cache<ConfigMap>();
  readonly health = new Health();
  readonly abort = new AbortController();
  /** Keys that stand for nothing any more. */
  readonly gone = new Set<string>();
  readonly lines: Record<string, unknown>[] = [];
  /** The keys, in the order of their reconciles. */
  readonly passes: string[] = [];
  /** What the observer received. */
  readonly told: string[] = [];
  running: Promise<void> = Promise.resolve();
  add: (key: string) => void = () => undefined;

  constructor() {
    this.cache.replace([], "1");
  }

  start(reconcile: Reconcile, more: Partial<RunControllerOptions> = {}): void {
    this.running = runController({ ...this.#options(reconcile), ...more }, this.abort.signal);
  }

  async stop(): Promise<void> {
    this.abort.abort();
    await this.running;
    assert.deepEqual(this.clock.pendingMs, [], "no timer is left behind");
  }

  #options(reconcile: Reconcile): RunControllerOptions {
    const { clock, health, passes, told, lines } = this;
    return {
      name: "tests",
      subject: "thing",
      sources: [
        (add) => {
          this.add = add;
          return () => undefined;
        },
      ],
      reconcile: async (key, signal, pass) => {
        passes.push(key);
        return reconcile(key, signal, pass);
      },
      exists: (key) => !this.gone.has(key),
      ownWrites: new OwnWrites({ cachesOf: () => [this.cache], clock, deadlineMs: 5_000 }),
      resyncMs: 60_000,
      logger: createLogger({ write: (line) => lines.push(JSON.parse(line) as Record<string, unknown>) }),
      observer: {
        depth: () => undefined,
        waited: () => undefined,
        ended: (key, ms) => told.push(`${key} took ${ms}`),
        failed: (key, reason) => told.push(`${key} failed: ${reason}`),
        forgotten: (key) => told.push(`${key} forgotten`),
      },
      health,
      clock,
      random: () => 0.5,
    };
  }
}
