import { Counter, Gauge, Histogram, type Registry } from "prom-client";

/**
 * Labels of the cluster; coreos/etcd-operator watched one namespace and its label holds the name only, so ours has a
 * second one.
 */
const CLUSTER_LABELS = ["ClusterName", "Namespace"] as const;
type ClusterLabels = Record<(typeof CLUSTER_LABELS)[number], string>;

/** A metric with one series per cluster, which ends when the cluster does. */
interface PerCluster {
  remove(labels: ClusterLabels): void;
}

/** The metrics of the clusters, under the names that dashboards and alerts for coreos/etcd-operator use. */
export class ClusterMetrics {
  readonly #registry: Registry;
  readonly #perCluster: PerCluster[] = [];
  /** By name: a controller that is elected again reuses the metrics that it made before. */
  readonly #gauges = new Map<string, Gauge<keyof ClusterLabels>>();
  readonly #counters = new Map<string, Counter<keyof ClusterLabels>>();
  readonly #managed: Gauge;
  readonly #created: Counter;
  readonly #deleted: Counter;
  readonly #modified: Counter;
  readonly #failed: Counter;
  readonly #reconcileFailed: Counter<"Reason">;
  readonly #duration: Histogram<keyof ClusterLabels>;

  constructor(registry: Registry) {
    const registers = [registry];
    const named = (name: string, help: string) => ({ name: `etcd_operator_${name}`, help, registers });
    this.#registry = registry;
    this.#managed = new Gauge(named("controller_clusters", "Clusters managed by the controller"));
    this.#created = new Counter(named("controller_clusters_created", "Clusters that were found or created"));
    this.#deleted = new Counter(named("controller_clusters_deleted", "Clusters that were deleted"));
    this.#modified = new Counter(named("controller_clusters_modified", "Changes of a cluster's spec"));
    this.#failed = new Counter(named("controller_clusters_failed", "Clusters in phase Failed"));
    this.#reconcileFailed = new Counter({
      ...named("cluster_reconcile_failed", "Failed reconciles of a cluster"),
      labelNames: ["Reason"],
    });
    this.#duration = new Histogram({
      ...named("cluster_reconcile_duration", "Duration of reconciles of a cluster, in seconds"),
      labelNames: [...CLUSTER_LABELS],
      // As in coreos/etcd-operator: 0.1 s, doubled nine times.
      buckets: Array.from({ length: 10 }, (_, doubled) => 0.1 * 2 ** doubled),
    });
    this.#perCluster.push(this.#duration);
  }

  /** A gauge with one series per cluster; `set` it by key. Its series end with the cluster. */
  gauge(name: string, help: string): { set(key: string, value: number): void } {
    const known = this.#gauges.get(name);
    const gauge = known ?? new Gauge(this.#described(name, help));
    this.#gauges.set(name, gauge);
    if (!known) this.#perCluster.push(gauge);
    return { set: (key, value) => gauge.set(labelsOf(key), value) };
  }

  /** A counter with one series per cluster, which begins at what is first added, also at 0. */
  counter(name: string, help: string): { add(key: string, value: number): void } {
    const known = this.#counters.get(name);
    const counter = known ?? new Counter(this.#described(name, help));
    this.#counters.set(name, counter);
    if (!known) this.#perCluster.push(counter);
    return { add: (key, value) => counter.inc(labelsOf(key), value) };
  }

  #described(name: string, help: string) {
    return { name, help, labelNames: [...CLUSTER_LABELS], registers: [this.#registry] };
  }

  total(clusters: number): void {
    this.#managed.set(clusters);
  }

  created(): void {
    this.#created.inc();
  }

  deleted(): void {
    this.#deleted.inc();
  }

  modified(): void {
    this.#modified.inc();
  }

  failed(): void {
    this.#failed.inc();
  }

  reconciled(key: string, seconds: number): void {
    this.#duration.observe(labelsOf(key), seconds);
  }

  reconcileFailed(reason: string): void {
    this.#reconcileFailed.inc({ Reason: reason });
  }

  /**
   * Ends the series of a deleted cluster: one that is created and deleted every hour would otherwise leave
   * thousands.
   */
  forget(key: string): void {
    for (const metric of this.#perCluster) metric.remove(labelsOf(key));
  }
}

function labelsOf(key: string): ClusterLabels {
  const [namespace = "", name = ""] = key.split("/");
  return { ClusterName: name, Namespace: namespace };
}
