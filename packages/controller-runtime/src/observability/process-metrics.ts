import { Counter, Gauge, type Registry } from "prom-client";

/**
 * The usual facts of a process, under the usual names. Each is read when Prometheus asks, so that nothing runs in
 * between.
 */
export function registerProcessMetrics(registry: Registry): void {
  const registers = [registry];
  const startedAt = Date.now() / 1000 - process.uptime();
  new Gauge({ name: "process_start_time_seconds", help: "When the process began", registers }).set(startedAt);
  new Gauge({
    name: "process_resident_memory_bytes",
    help: "Memory in use",
    registers,
    collect() {
      this.set(process.memoryUsage.rss());
    },
  });
  new Gauge({
    name: "nodejs_heap_size_used_bytes",
    help: "Memory that JavaScript objects use",
    registers,
    collect() {
      this.set(process.memoryUsage().heapUsed);
    },
  });
  new Counter({
    name: "process_cpu_seconds_total",
    help: "Processor time used",
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      this.reset();
      this.inc((user + system) / 1e6);
    },
  });
}
