import { Counter, Histogram, type Registry } from "prom-client";

/** Results of restores. */
export class RestoreMetrics {
  readonly #ended: Counter<"result">;
  readonly #duration: Histogram;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#ended = new Counter({
      name: "etcd_operator_restores_total",
      help: "Restores that ended, by result",
      labelNames: ["result"],
      registers,
    });
    this.#duration = new Histogram({
      name: "etcd_operator_restore_duration_seconds",
      help: "Duration of successful restores, until all members were healthy",
      buckets: [5, 15, 30, 60, 120, 300, 600, 1800, 3600],
      registers,
    });
    for (const result of ["succeeded", "failed"]) this.#ended.inc({ result }, 0);
  }

  ended(hasSucceeded: boolean, seconds: number): void {
    this.#ended.inc({ result: hasSucceeded ? "succeeded" : "failed" });
    if (hasSucceeded) this.#duration.observe(seconds);
  }
}
