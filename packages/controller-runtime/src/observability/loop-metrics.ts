import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { PassObserver } from "./pass-observer.ts";
import { registerProcessMetrics } from "./process-metrics.ts";

/** What every controller counts, and the page that Prometheus reads. */
export class LoopMetrics {
  readonly registry = new Registry();
  readonly #depth: Gauge<"controller">;
  readonly #waited: Histogram<"controller">;
  readonly #duration: Histogram<"controller">;
  readonly #errors: Counter<"controller" | "reason">;
  readonly #leader: Gauge<"controller">;

  /** `prefix` begins the name of every metric. */
  constructor(prefix: string) {
    this.#depth = new Gauge({
      name: `${prefix}_queue_depth`,
      help: "Objects that wait in the work queue",
      labelNames: ["controller"],
      registers: [this.registry],
    });
    this.#waited = new Histogram({
      name: `${prefix}_queue_wait_seconds`,
      help: "Time that objects waited in the work queue",
      labelNames: ["controller"],
      // Fine where the promise is: a change is acted on within 100 ms.
      buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60],
      registers: [this.registry],
    });
    this.#duration = new Histogram({
      name: `${prefix}_reconcile_duration_seconds`,
      help: "Duration of reconciles",
      labelNames: ["controller"],
      buckets: [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 120],
      registers: [this.registry],
    });
    this.#errors = new Counter({
      name: `${prefix}_reconcile_errors_total`,
      help: "Reconciles that failed",
      labelNames: ["controller", "reason"],
      registers: [this.registry],
    });
    this.#leader = new Gauge({
      name: `${prefix}_leader`,
      help: "1 while this process holds the controller's Lease",
      labelNames: ["controller"],
      registers: [this.registry],
    });
    registerProcessMetrics(this.registry);
  }

  /** What a controller reports its passes to. */
  observerOf(controller: string): PassObserver {
    this.#depth.set({ controller }, 0);
    return {
      depth: (keys) => this.#depth.set({ controller }, keys),
      waited: (ms) => this.#waited.observe({ controller }, ms / 1000),
      ended: (_, durationMs) => this.#duration.observe({ controller }, durationMs / 1000),
      failed: (_, reason) => this.#errors.inc({ controller, reason }),
      forgotten: () => undefined,
    };
  }

  setLeader(controller: string, isLeader: boolean): void {
    this.#leader.set({ controller }, isLeader ? 1 : 0);
  }

  async page(): Promise<{ readonly contentType: string; readonly text: string }> {
    return { contentType: this.registry.contentType, text: await this.registry.metrics() };
  }
}
