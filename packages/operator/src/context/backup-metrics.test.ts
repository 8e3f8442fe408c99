import assert from "node:assert/strict";
import { Registry } from "prom-client";
import { beforeEach, describe, test } from "vitest";
import { BackupMetrics } from "./backup-metrics.ts";

const KEY = "prod/nightly";
let registry: Registry;
let metrics: BackupMetrics;
let nowMs: number;

beforeEach(() => {
  [registry, nowMs] = [new Registry(), 1_000_000];
  metrics = new BackupMetrics(registry, () => nowMs);
});

async function figureOf(name: string): Promise<number | undefined> {
  const line = new RegExp(`^etcd_operator_${name}{name="nightly",namespace="prod"} (\\S+)$`, "m");
  const found = line.exec(await registry.metrics())?.[1];
  return found === undefined ? undefined : Number(found);
}

describe("the figures of a backup", () => {
  test("count attempts, successes and failures from 0 on", async () => {
    metrics.show(KEY, undefined);
    const counters = ["backups_attempt_total", "backups_success_total", "backups_failure_total"];
    assert.deepEqual(await Promise.all(counters.map(figureOf)), [0, 0, 0]);
    metrics.attempted(KEY);
    metrics.attempted(KEY);
    metrics.failed(KEY);
    metrics.succeeded(KEY, 12.5);
    assert.deepEqual(await Promise.all(counters.map(figureOf)), [2, 1, 1]);
    assert.equal(await figureOf("backup_duration_seconds"), 12.5);
  });

  test("report the newest good one, whose age grows by itself", async () => {
    metrics.show(KEY, undefined);
    assert.equal(await figureOf("backup_age_seconds"), undefined);
    metrics.show(KEY, { verifiedAtMs: 990_000, sizeBytes: 20_512, revision: 42 });
    assert.equal(await figureOf("backup_last_success"), 990);
    assert.equal(await figureOf("backup_size_bytes"), 20_512);
    assert.equal(await figureOf("backup_revision"), 42);
    assert.equal(await figureOf("backup_age_seconds"), 10);
    nowMs += 50_000;
    assert.equal(await figureOf("backup_age_seconds"), 60);
  });

  test("leave out what an old status does not say, and are never negative", async () => {
    metrics.show(KEY, { verifiedAtMs: 2_000_000, sizeBytes: undefined, revision: undefined });
    assert.deepEqual([await figureOf("backup_size_bytes"), await figureOf("backup_age_seconds")], [undefined, 0]);
  });

  test("report the newest drill, and count them", async () => {
    metrics.show(KEY, undefined);
    metrics.drilled(KEY, true);
    metrics.drilled(KEY, false);
    metrics.drilled(KEY, false);
    const figures = { durationSeconds: 9, sizeBytes: 20_512, recoveryTimeSeconds: 6, recoveryPointSeconds: 3_600 };
    metrics.showDrill(KEY, { succeeded: true, ...figures });
    const names = ["succeeded", "duration_seconds", "size_bytes", "recovery_time_seconds", "recovery_point_seconds"];
    assert.deepEqual(await Promise.all(names.map((name) => figureOf(`drill_${name}`))), [1, 9, 20_512, 6, 3_600]);
    assert.deepEqual([await figureOf("drills_success_total"), await figureOf("drills_failure_total")], [1, 2]);
    metrics.showDrill(KEY, { succeeded: false });
    assert.equal(await figureOf("drill_succeeded"), 0);
  });

  test("end with it", async () => {
    metrics.show(KEY, { verifiedAtMs: 990_000, sizeBytes: 1, revision: 1 });
    metrics.succeeded(KEY, 1);
    metrics.show("prod/other", undefined);
    metrics.forget(KEY);
    const page = await registry.metrics();
    assert.doesNotMatch(page, /name="nightly"/);
    assert.match(page, /name="other"/);
  });
});
