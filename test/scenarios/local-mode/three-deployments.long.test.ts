import assert from "node:assert/strict";
import { resources } from "@etcd-operator/kubernetes-client";
import { ownResources } from "@etcd-operator/operator/objects/own-resources.ts";
import { shellBlocks } from "@etcd-operator/testing/documents/shell-blocks.ts";
import { type Terminal, terminalBeside } from "@etcd-operator/testing/documents/terminal.ts";
import type { ClusterUnderTest } from "@etcd-operator/testing/scenario/cluster/cluster-under-test.ts";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { afterAll, beforeAll, describe, test } from "vitest";

const OPERATORS = ["etcd-operator", "etcd-backup-operator", "etcd-restore-operator"];
const CRON_JOB = { namespace: "default", name: "etcd-volume-backup" };

const scenario = clusterScenario({ operator: "none" });
const [install = "", backup = "", restore = ""] = await shellBlocks("docs/operations/backup.md", "From a CronJob");
let terminal: Terminal;
let cluster: ClusterUnderTest;

describe("three operators as three Deployments, and a CronJob that asks for backups", { timeout: 400_000 }, () => {
  beforeAll(async () => {
    terminal = await terminalBeside(scenario.local);
    cluster = scenario.cluster("example-etcd-cluster");
  });
  afterAll(() => terminal?.close());

  test("stand side by side, each with a Lease of its own at any time", async () => {
    await terminal.run(install);
    for (const name of OPERATORS) {
      await scenario.local.kubectl("rollout", "status", `deployment/${name}`, "--timeout=2m");
    }
    await cluster.settled(3);
    await cluster.put("hello", "world");
    const { items } = await scenario.client.list(resources.leases, { namespace: "default" });
    const pods = (await scenario.client.list(resources.pods, { namespace: "default" })).items.map(
      ({ metadata }) => metadata.name,
    );
    for (const { metadata, spec } of items) {
      const isHeldByPod = pods.some((pod) => spec?.holderIdentity?.startsWith(pod));
      assert.ok(isHeldByPod, `the Lease ${metadata.name} is held by ${spec?.holderIdentity}`);
    }
    assert.equal(items.length, 3);
  });

  test("a Job of the CronJob, started by hand, has a backup made with its own ServiceAccount's rights", async () => {
    assert.match(await terminal.run(backup), /example-etcd-cluster-nightly-\w+ +Volume +Finished +true/);
    assert.equal((await backups()).length, 1);
    const may = await scenario.local.tryKubectl([
      ...["auth", "can-i", "get", "etcdbackups.etcd.database.coreos.com"],
      "--as=system:serviceaccount:default:etcd-volume-backup-cronjob",
    ]);
    assert.equal(may.stdout.trim(), "no");
  });

  test("the CronJob itself has another one made when the time has come", async () => {
    await cluster.put("hello", "again");
    await scenario.client.patch(resources.cronJobs, CRON_JOB, { merge: { spec: { schedule: "* * * * *" } } });
    const succeeded = async () => (await backups()).filter(({ status }) => status?.succeeded).length;
    await until(async () => (await succeeded()) >= 2, { what: "a backup by the clock", timeoutMs: 120_000 });
    await scenario.client.patch(resources.cronJobs, CRON_JOB, { merge: { spec: { suspend: true } } });
    const { status } = await scenario.client.get(resources.cronJobs, CRON_JOB);
    assert.ok(status?.lastScheduleTime && Date.parse(status.lastScheduleTime) % 60_000 === 0);
    const { items } = await scenario.client.list(resources.jobs, { namespace: "default" });
    const minute = Date.parse(status.lastScheduleTime) / 60_000;
    assert.ok(items.some(({ metadata }) => metadata.name === `${CRON_JOB.name}-${minute}`));
  });

  test("cronjob.yaml, which is for S3, asks for its backup in the same way", async () => {
    await terminal.run("kubectl create -f example/etcd-backup-operator/cronjob.yaml");
    await terminal.run("kubectl create job --from=cronjob/etcd-backup try-etcd-backup");
    await scenario.local.kubectl("wait", "--for=condition=complete", "--timeout=1m", "job/try-etcd-backup");
    const { items } = await scenario.client.list(ownResources.etcdBackups, { namespace: "default" });
    const [asked] = items.filter(({ spec }) => spec.storageType === "S3");
    assert.ok(asked);
    assert.match(asked.metadata.name, /^example-etcd-cluster-nightly-/);
    await scenario.client.delete(ownResources.etcdBackups, asked.metadata);
  });

  test("the restore operator brings back what the last of them saved", async () => {
    const before = await cluster.settled(3);
    await cluster.put("hello", "lost");
    await terminal.run(restore);
    const after = await cluster.settled(3);
    assert.notEqual(after.status?.clusterID, before.status?.clusterID);
    assert.equal(await cluster.valueOf("hello"), "again");
  });
});

async function backups() {
  const selection = { namespace: "default", labelSelector: "made-by=etcd-volume-backup" };
  return (await scenario.client.list(ownResources.etcdBackups, selection)).items;
}
