import assert from "node:assert/strict";
import { resources } from "@etcd-operator/kubernetes-client";
import { canObtain } from "@etcd-operator/testing/etcd/can-obtain.ts";
import { BackupsUnderTest } from "@etcd-operator/testing/scenario/backup/backups-under-test.ts";
import { volumePlace } from "@etcd-operator/testing/scenario/backup/volume-place.ts";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { beforeAll, describe, test } from "vitest";

const scenario = clusterScenario();
let backups: BackupsUnderTest;
beforeAll(async () => {
  backups = await BackupsUnderTest.at(scenario, await volumePlace());
});

const VERSIONS = ["3.3.25", "3.4.23", "3.5.30", "3.6.16", "3.7.3"];
const KEYS = 50;
const EVERY_MINUTE = "* * * * *";

async function proved(version: string): Promise<void> {
  const name = `of-${version.replaceAll(".", "-")}`;
  const cluster = await scenario.create(name, { size: 1, version });
  await cluster.settled(1);
  for (let key = 0; key < KEYS; key += 1) await cluster.put(`key/${key}`, "x".repeat(1_000));
  await backups.create(name, name, { policy: { backupIntervalInSecond: 3_600, drillSchedule: EVERY_MINUTE } });
  const isOver = ({ drill }: { drill?: { succeeded?: boolean | undefined } | undefined }) =>
    drill?.succeeded !== undefined;
  const { lastBackup, drill } = await backups.becomes(name, "to be proved", isOver);
  assert.equal(drill?.succeeded, true, drill?.reason);
  assert.deepEqual(
    [drill?.path, drill?.revision, drill?.sizeBytes, drill?.keys],
    [lastBackup?.path, lastBackup?.revision, lastBackup?.sizeBytes, KEYS],
  );
  assert.ok((drill?.recoveryTimeSeconds ?? 0) <= (drill?.durationSeconds ?? -1));
  await backups.delete(name);
}

describe("a drill", { timeout: 400_000 }, () => {
  test("proves backups of every minor by restoring them, and nothing of that stays", async () => {
    const obtainable = await Promise.all(VERSIONS.map((version) => canObtain(version)));
    await Promise.all(VERSIONS.filter((_, index) => obtainable[index]).map(proved));
    const ofDrills = { namespace: "default", labelSelector: "app in (etcd-drill, etcd-store-worker)" };
    const areGone = async () => (await scenario.client.list(resources.pods, ofDrills)).items.length === 0;
    await until(areGone, { what: "all pods of drills to be gone" });
  });
});
