import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { BackupMetrics } from "./backup-metrics.ts";
import { ClusterMetrics } from "./cluster-metrics.ts";
import type { PassObserver } from "./pass-observer.ts";
import { registerProcessMetrics } from "./process-metrics.ts";
import { RestoreMetrics } from "./restore-metrics.ts";

/** All that the program counts, and the page that Prometheus reads. */
export class Metrics {
  readonly registry = new Registry();
  readonly clusters = new ClusterMetrics(this.registry);
  readonly restores = new RestoreMetrics(this.registry);
  readonly backups = new BackupMetrics(this.registry);
  readonly #depth = new Gauge({
    name: "etcd_operator_queue_depth",
    help: "Objects that are ready for a pass and wait for their turn",
    labelNames: ["controller"],
    registers: [this.registry],
  });
  readonly #waited = new Histogram({
    name: "etcd_operator_queue_wait_seconds",
    help: "How long objects waited for their turn",
    labelNames: ["controller"],
    // Fine where the promise is: a change is acted on within 100 ms.
    buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60],
    registers: [this.registry],
  });
  readonly #duration = new Histogram({
    name: "etcd_operator_reconcile_duration_seconds",
    help: "How long passes took",
    labelNames: ["controller"],
    buckets: [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 120],
    registers: [this.registry],
  });
  readonly #errors = new Counter({
    name: "etcd_operator_reconcile_errors_total",
    help: "Passes that failed",
    labelNames: ["controller", "reason"],
    registers: [this.registry],
  });
  readonly #leader = new Gauge({
    name: "etcd_operator_leader",
    help: "1 while this process holds the controller's Lease",
    labelNames: ["controller"],
    registers: [this.registry],
  });

  constructor() {
    registerProcessMetrics(this.registry);
  }

  /** What a controller tells its passes to; that of the clusters also feeds the names of the old operator. */
  observerOf(controller: string): PassObserver {
    const clusters = controller === "clusters" ? this.clusters : undefined;
    this.#depth.set({ controller }, 0);
    return {
      depth: (keys) => this.#depth.set({ controller }, keys),
      waited: (ms) => this.#waited.observe({ controller }, ms / 1000),
      ended: (key, durationMs) => {
        this.#duration.observe({ controller }, durationMs / 1000);
        clusters?.reconciled(key, durationMs / 1000);
      },
      failed: (_, reason) => {
        this.#errors.inc({ controller, reason });
        clusters?.reconcileFailed(reason);
      },
      forgotten: (key) => clusters?.forget(key),
    };
  }

  setLeader(controller: string, isLeader: boolean): void {
    this.#leader.set({ controller }, isLeader ? 1 : 0);
  }

  async page(): Promise<{ readonly contentType: string; readonly text: string }> {
    return { contentType: this.registry.contentType, text: await this.registry.metrics() };
  }
}
