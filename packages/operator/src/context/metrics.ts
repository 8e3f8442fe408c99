import type { PassObserver } from "@etcd-operator/controller-runtime";
import { LoopMetrics } from "@etcd-operator/controller-runtime";
import { BackupMetrics } from "./backup-metrics.ts";
import { ClusterMetrics } from "./cluster-metrics.ts";
import { RestoreMetrics } from "./restore-metrics.ts";

/** All that the program counts. */
export class Metrics extends LoopMetrics {
  readonly clusters = new ClusterMetrics(this.registry);
  readonly restores = new RestoreMetrics(this.registry);
  readonly backups = new BackupMetrics(this.registry);

  constructor() {
    super("etcd_operator");
  }

  /** What the controller of clusters reports also feeds the names of coreos/etcd-operator. */
  override observerOf(controller: string): PassObserver {
    const observer = super.observerOf(controller);
    if (controller !== "clusters") return observer;
    return {
      ...observer,
      ended: (key, durationMs) => {
        observer.ended(key, durationMs);
        this.clusters.reconciled(key, durationMs / 1000);
      },
      failed: (key, reason) => {
        observer.failed(key, reason);
        this.clusters.reconcileFailed(reason);
      },
      forgotten: (key) => {
        observer.forgotten(key);
        this.clusters.forget(key);
      },
    };
  }
}
