import assert from "node:assert/strict";
import { resources } from "@etcd-operator/kubernetes-client";
import { WORKER_LABELS } from "@etcd-operator/operator/transfer/names.ts";
import { BackupsUnderTest } from "@etcd-operator/testing/scenario/backup/backups-under-test.ts";
import { volumePlace } from "@etcd-operator/testing/scenario/backup/volume-place.ts";
import type { ClusterUnderTest } from "@etcd-operator/testing/scenario/cluster/cluster-under-test.ts";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { beforeAll, describe, test } from "vitest";

const NAMES = ["a", "b", "c", "d", "e"];

const scenario = clusterScenario({ nodes: 2 });
let backups: BackupsUnderTest;
let cluster: ClusterUnderTest;
beforeAll(async () => {
  backups = await BackupsUnderTest.at(scenario, await volumePlace());
  cluster = await scenario.create("source", { size: 1 });
  await cluster.settled(1);
});

const workers = async () => {
  const labelSelector = `app=${WORKER_LABELS.app}`;
  return (await scenario.client.list(resources.pods, { namespace: "default", labelSelector })).items;
};

describe("of one ReadWriteOnce claim on two nodes", { timeout: 300_000 }, () => {
  test("five EtcdBackups at once all end, one worker after the other", async () => {
    await Promise.all(NAMES.map((name) => backups.create(name, "source")));
    let most = 0;
    const haveAllSucceeded = async () => {
      most = Math.max(most, (await workers()).length);
      const seen = await Promise.all(NAMES.map((name) => backups.get(name)));
      return seen.every(({ status }) => status?.succeeded);
    };
    await until(haveAllSucceeded, { what: "five backups", timeoutMs: 180_000, everyMs: 50 });
    assert.equal(most, 1);
    await until(async () => (await workers()).length === 0, { what: "the last worker to be gone" });
  });

  test("a restore over the running cluster ends beside backups of it", async () => {
    await cluster.put("after", "backup");
    const again = NAMES.slice(1).map((name) => `${name}-again`);
    await Promise.all(again.map((name) => backups.create(name, "source")));
    await backups.restore("source", "a", {}, "back");
    await backups.restoreSucceeds("back");
    await Promise.all(again.map((name) => backups.succeeds(name)));
    await until(async () => (await workers()).length === 0, { what: "the last worker to be gone" });
  });
});
