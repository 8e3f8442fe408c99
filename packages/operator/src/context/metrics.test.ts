import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { Metrics } from "./metrics.ts";

const OLD_NAMES = [
  ["etcd_operator_controller_clusters", "gauge"],
  ["etcd_operator_controller_clusters_created", "counter"],
  ["etcd_operator_controller_clusters_deleted", "counter"],
  ["etcd_operator_controller_clusters_modified", "counter"],
  ["etcd_operator_controller_clusters_failed", "counter"],
  ["etcd_operator_cluster_reconcile_duration", "histogram"],
  ["etcd_operator_cluster_reconcile_failed", "counter"],
] as const;

async function pageOf(metrics: Metrics): Promise<string> {
  return (await metrics.page()).text;
}

describe("the metrics of coreos/etcd-operator", () => {
  test.each(OLD_NAMES)("%s is there, as a %s, before anything happened", async (name, type) => {
    assert.match(await pageOf(new Metrics()), new RegExp(`^# TYPE ${name} ${type}$`, "m"));
  });

  test("count clusters", async () => {
    const metrics = new Metrics();
    metrics.clusters.total(2);
    metrics.clusters.created();
    metrics.clusters.created();
    metrics.clusters.modified();
    metrics.clusters.failed();
    metrics.clusters.deleted();
    const page = await pageOf(metrics);
    for (const line of ["", "_created"].map((suffix) => `etcd_operator_controller_clusters${suffix} 2`)) {
      assert.ok(page.includes(`${line}\n`), line);
    }
    for (const what of ["modified", "failed", "deleted"]) {
      assert.ok(page.includes(`etcd_operator_controller_clusters_${what} 1\n`), what);
    }
  });

  test("are fed by the reconciles of the cluster controller, and by no other's", async () => {
    const metrics = new Metrics();
    metrics.observerOf("clusters").ended("default/example", 300);
    metrics.observerOf("clusters").failed("default/example", "conflict");
    metrics.observerOf("backups").ended("default/backup", 300);
    metrics.observerOf("backups").failed("default/backup", "timeout");
    const page = await pageOf(metrics);
    assert.match(page, /cluster_reconcile_duration_count\{ClusterName="example",Namespace="default"\} 1/);
    assert.match(page, /cluster_reconcile_duration_bucket\{le="0.4",ClusterName="example",Namespace="default"\} 1/);
    assert.match(page, /cluster_reconcile_failed\{Reason="conflict"\} 1/);
    assert.doesNotMatch(page, /ClusterName="backup"|Reason="timeout"/);
    assert.match(page, /etcd_operator_reconcile_errors_total\{controller="backups",reason="timeout"\} 1/);
  });
});

test("the series of a cluster end with it, and those of the others stay", async () => {
  const metrics = new Metrics();
  const size = metrics.clusters.gauge("etcd_operator_cluster_size", "Members");
  const observer = metrics.observerOf("clusters");
  for (const key of ["default/a", "default/b", "other/a"]) {
    size.set(key, 3);
    observer.ended(key, 10);
  }
  observer.forgotten("default/a");
  observer.forgotten("default/never-seen");
  const page = await pageOf(metrics);
  assert.doesNotMatch(page, /ClusterName="a",Namespace="default"/);
  assert.match(page, /etcd_operator_cluster_size\{ClusterName="a",Namespace="other"\} 3/);
  assert.match(page, /etcd_operator_cluster_size\{ClusterName="b",Namespace="default"\} 3/);
});

test("a controller's queue is measured from its first moment", async () => {
  const metrics = new Metrics();
  const observer = metrics.observerOf("restores");
  assert.match(await pageOf(metrics), /etcd_operator_queue_depth\{controller="restores"\} 0/);
  observer.depth(4);
  observer.waited(50);
  const page = await pageOf(metrics);
  assert.match(page, /etcd_operator_queue_depth\{controller="restores"\} 4/);
  assert.match(page, /etcd_operator_queue_wait_seconds_sum\{controller="restores"\} 0.05/);
});

test("waits in the queue are measured finely enough to see a hundred milliseconds miss by half", async () => {
  const metrics = new Metrics();
  const observer = metrics.observerOf("clusters");
  for (const ms of [3, 30, 70, 140, 700]) observer.waited(ms);
  const page = await pageOf(metrics);
  const upTo = (le: string) =>
    Number(new RegExp(`queue_wait_seconds_bucket\\{le="${le}",controller="clusters"\\} (\\d+)`).exec(page)?.[1]);
  assert.deepEqual(["0.001", "0.005", "0.05", "0.1", "0.2", "0.5", "1"].map(upTo), [0, 1, 2, 3, 4, 4, 5]);
});

test("whether it leads is a metric", async () => {
  const metrics = new Metrics();
  metrics.setLeader("clusters", true);
  metrics.setLeader("backups", false);
  assert.match(await pageOf(metrics), /etcd_operator_leader\{controller="clusters"\} 1/);
  assert.match(await pageOf(metrics), /etcd_operator_leader\{controller="backups"\} 0/);
});

test("the process itself is measured when asked, also for the second time", async () => {
  const metrics = new Metrics();
  await metrics.page();
  const page = await pageOf(metrics);
  const value = (name: string) => Number(new RegExp(`^${name} (.*)$`, "m").exec(page)?.[1]);
  assert.ok(value("process_resident_memory_bytes") > 1e7);
  assert.ok(value("nodejs_heap_size_used_bytes") > 1e6);
  const cpu = process.cpuUsage();
  assert.ok(
    value("process_cpu_seconds_total") > 0 && value("process_cpu_seconds_total") <= (cpu.user + cpu.system) / 1e6,
  );
  assert.ok(Math.abs(value("process_start_time_seconds") - (Date.now() / 1000 - process.uptime())) < 5);
});
