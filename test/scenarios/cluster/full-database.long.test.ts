import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { EtcdError } from "@etcd-operator/etcd-client";
import { resources } from "@etcd-operator/kubernetes-client";
import { runCommand, runCommandOrThrow } from "@etcd-operator/testing/process/run-command.ts";
import type { ClusterUnderTest } from "@etcd-operator/testing/scenario/cluster/cluster-under-test.ts";
import { conditionOf } from "@etcd-operator/testing/scenario/cluster/settled.ts";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import { volumeFolder } from "@etcd-operator/testing/scenario/faults/member-faults.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { afterAll, describe, test } from "vitest";

const scenario = clusterScenario();
const MIB = 2 ** 20;
const mounts: string[] = [];

afterAll(async () => {
  for (const mount of mounts) await runCommand("umount", ["--lazy", mount]);
});

/** Writes until no write is taken any more. */
async function fillUp(cluster: ClusterUnderTest, most: number): Promise<unknown> {
  const { leader } = await cluster.roles();
  return cluster.ask(leader, async (client) => {
    for (let index = 0; index < most; index += 1) {
      try {
        await client.put({ key: `filling/${index}`, value: randomBytes(MIB) }, { timeoutMs: 5_000 });
      } catch (error) {
        return error;
      }
    }
    throw new Error(`${most} MiB were all taken`);
  });
}

const hasReason = (type: string, reason: string) => (cluster: Parameters<typeof conditionOf>[0]) =>
  conditionOf(cluster, type)?.reason === reason;

const isNear = hasReason("Degraded", "DatabaseNearLimit");

describe("a database that reaches its quota", { timeout: 240_000 }, () => {
  test("is reported in advance, and at once when writes are refused; compacting, defragmenting and disarming solves it", async () => {
    const cluster = await scenario.create("quota", { quotaBackendBytes: 200 * MIB, version: "3.5.35" });
    await cluster.settled(3);
    const { leader } = await cluster.roles();
    await cluster.ask(leader, async (client) => {
      for (let index = 0; !isNear(await cluster.get()); index += 1) {
        await client.put({ key: "one", value: randomBytes(MIB) });
        if (index > 100) await pause(500);
      }
    });
    const near = await cluster.becomes("to tell of its limit", isNear);
    process.stdout.write(`  ${conditionOf(near, "Degraded")?.message}\n`);
    assert.equal(conditionOf(near, "Available")?.status, "True");

    const refusal = await fillUp(cluster, 100);
    const refusedAtMs = performance.now();
    assert.ok(refusal instanceof EtcdError && refusal.code === "no-space", String(refusal));
    const full = await cluster.becomes("to tell of the alarm", hasReason("Available", "NoSpaceAlarm"), 30_000);
    process.stdout.write(
      `  told after ${Math.round(performance.now() - refusedAtMs)} ms: ${conditionOf(full, "Degraded")?.message}\n`,
    );
    assert.match(conditionOf(full, "Degraded")?.message ?? "", /^Compact, defragment and disarm/);

    const { revision } = await cluster.ask(leader, (client) => client.range({ key: "one" }));
    await cluster.ask(leader, (client) => client.compact(revision));
    for (const pod of await cluster.pods()) await cluster.ask(pod, (client) => client.defragment());
    await cluster.ask(leader, async (client) => {
      for (const alarm of await client.alarms()) await client.disarm(alarm);
    });
    await cluster.becomes("to be well", (now) => conditionOf(now, "Degraded")?.status === "False", 60_000);
    await cluster.put("again", "taken");
    const reasons = (await cluster.events()).map(({ reason }) => reason);
    assert.equal(reasons.filter((reason) => reason === "DatabaseNearLimit").length >= 1, true);
    await cluster.delete();
    await cluster.isGone();
  });
});

describe("a volume that is full", { timeout: 300_000 }, () => {
  test("is named with what to do, in etcd's own words; a larger one leads out", async () => {
    const cluster = await scenario.create("full", { size: 1, claims: true, whenDeleted: "Delete", version: "3.5.35" });
    await cluster.settled(1);
    const folder = await ontoSmallDisk(cluster, "160m");
    await fillUp(cluster, 200);
    const full = await cluster.becomes("to name the full volume", hasReason("Degraded", "VolumeFull"), 60_000);
    process.stdout.write(`  ${conditionOf(full, "Degraded")?.message}\n`);
    assert.match(conditionOf(full, "Degraded")?.message ?? "", /^Enlarge the volume .*no space left on device/);
    await runCommandOrThrow("mount", ["-o", "remount,size=600m", folder]);
    await cluster.settled(1);
    await cluster.put("again", "taken");
    await cluster.delete();
    await cluster.isGone();
  });
});

/** Lets the only member of a cluster go on with its data on a disk of that size. */
async function ontoSmallDisk(cluster: ClusterUnderTest, size: string): Promise<string> {
  await cluster.changeSpec({ paused: true });
  await cluster.becomes("to be paused", ({ status }) => status?.controlPaused);
  const [pod] = await cluster.pods();
  assert.ok(pod);
  const folder = await volumeFolder(scenario, pod);
  await scenario.client.delete(resources.pods, pod.metadata);
  await until(async () => (await cluster.pods()).length === 0, { what: "the pod to be gone" });
  const disk = await mkdtemp(join(folder, "..", "disk-"));
  await runCommandOrThrow("mount", ["-t", "tmpfs", "-o", `size=${size}`, "small", disk]);
  await runCommandOrThrow("cp", ["-a", `${folder}/.`, disk]);
  await runCommandOrThrow("mount", ["--bind", disk, folder]);
  mounts.push(folder, disk);
  await cluster.changeSpec({ paused: false });
  await cluster.settled(1);
  return disk;
}
