import { Counter, Gauge, type Registry } from "prom-client";

const LABELS = ["name", "namespace"] as const;
type Labels = Record<(typeof LABELS)[number], string>;

/** The newest backup that exists and is verified. */
export interface GoodBackup {
  readonly verifiedAtMs: number;
  readonly sizeBytes: number | undefined;
  readonly revision: number | undefined;
}

/** The newest restore drill. */
export interface NewestDrill {
  readonly succeeded: boolean;
  readonly durationSeconds?: number | undefined;
  readonly sizeBytes?: number | undefined;
  readonly recoveryTimeSeconds?: number | undefined;
  readonly recoveryPointSeconds?: number | undefined;
}

/** The metrics of EtcdBackups, one series each; three have the names and labels of coreos/etcd-operator. */
export class BackupMetrics {
  readonly #counters: ReturnType<typeof countersIn>;
  readonly #gauges: ReturnType<typeof gaugesIn>;
  readonly #verifiedAtMs = new Map<string, number>();

  constructor(registry: Registry, nowMs: () => number = Date.now) {
    this.#counters = countersIn(registry);
    this.#gauges = gaugesIn(registry, this.#verifiedAtMs, nowMs);
  }

  /**
   * Values from the status, also after a restart. The counters begin at 0 with it, so that the first failure is an
   * increase.
   */
  show(key: string, good: GoodBackup | undefined): void {
    for (const counter of Object.values(this.#counters)) counter.inc(labelsOf(key), 0);
    if (!good) return;
    this.#verifiedAtMs.set(key, good.verifiedAtMs);
    const { lastSuccess, size, revision } = this.#gauges;
    set(lastSuccess, key, good.verifiedAtMs / 1000);
    set(size, key, good.sizeBytes);
    set(revision, key, good.revision);
  }

  showDrill(key: string, drill: NewestDrill): void {
    const { drillSucceeded, drillDuration, drillSize, recoveryTime, recoveryPoint } = this.#gauges;
    set(drillSucceeded, key, drill.succeeded ? 1 : 0);
    set(drillDuration, key, drill.durationSeconds);
    set(drillSize, key, drill.sizeBytes);
    set(recoveryTime, key, drill.recoveryTimeSeconds);
    set(recoveryPoint, key, drill.recoveryPointSeconds);
  }

  attempted(key: string): void {
    this.#counters.attempts.inc(labelsOf(key));
  }

  succeeded(key: string, seconds: number): void {
    this.#counters.successes.inc(labelsOf(key));
    set(this.#gauges.duration, key, seconds);
  }

  failed(key: string): void {
    this.#counters.failures.inc(labelsOf(key));
  }

  drilled(key: string, isGood: boolean): void {
    const { drillSuccesses, drillFailures } = this.#counters;
    (isGood ? drillSuccesses : drillFailures).inc(labelsOf(key));
  }

  /** Ends the series of a deleted EtcdBackup. */
  forget(key: string): void {
    this.#verifiedAtMs.delete(key);
    for (const metric of [...Object.values(this.#counters), ...Object.values(this.#gauges)])
      metric.remove(labelsOf(key));
  }
}

function countersIn(registry: Registry) {
  const counter = (name: string, help: string) => new Counter(described(registry, name, help));
  return {
    attempts: counter("backups_attempt_total", "Attempts to take a backup"),
    successes: counter("backups_success_total", "Backups that were taken and verified"),
    failures: counter("backups_failure_total", "Attempts that failed"),
    drillSuccesses: counter("drills_success_total", "Restore drills that succeeded"),
    drillFailures: counter("drills_failure_total", "Restore drills that failed"),
  };
}

function gaugesIn(registry: Registry, verifiedAtMs: ReadonlyMap<string, number>, nowMs: () => number) {
  const gauge = (name: string, help: string) => new Gauge(described(registry, name, help));
  return {
    lastSuccess: gauge(
      "backup_last_success",
      "Time when the newest verified backup was verified, in seconds since 1970",
    ),
    age: new Gauge({
      ...described(registry, "backup_age_seconds", "Age of the newest verified backup"),
      // It grows all the time, so it is computed when it is asked for.
      collect() {
        for (const [key, atMs] of verifiedAtMs) this.set(labelsOf(key), Math.max(0, nowMs() - atMs) / 1000);
      },
    }),
    size: gauge("backup_size_bytes", "Size of the newest verified backup"),
    revision: gauge("backup_revision", "Revision of the newest verified backup"),
    duration: gauge("backup_duration_seconds", "Duration of the newest verified backup"),
    drillSucceeded: gauge("drill_succeeded", "1 if the newest drill succeeded, 0 if not"),
    drillDuration: gauge("drill_duration_seconds", "Duration of the newest drill"),
    drillSize: gauge("drill_size_bytes", "Size of the backup of the newest drill"),
    recoveryTime: gauge("drill_recovery_time_seconds", "Time until the restored member of the newest drill was ready"),
    recoveryPoint: gauge("drill_recovery_point_seconds", "Age of the backup when the newest drill began"),
  };
}

function described(registry: Registry, name: string, help: string) {
  return { name: `etcd_operator_${name}`, help, labelNames: LABELS, registers: [registry] };
}

function set(gauge: Gauge<keyof Labels>, key: string, value: number | undefined): void {
  if (value !== undefined) gauge.set(labelsOf(key), value);
}

function labelsOf(key: string): Labels {
  const [namespace = "", name = ""] = key.split("/");
  return { name, namespace };
}
