import assert from "node:assert/strict";
import { resources } from "@etcd-operator/kubernetes-client";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import { describe, test } from "vitest";

const scenario = clusterScenario();

describe("what the README says about backups", { timeout: 300_000 }, () => {
  test("a cluster without volumes is saved, loses everything, and comes back under the same Service", async () => {
    const { local, client } = scenario;
    await local.kubectl("create", "-f", "example/example-etcd-cluster.yaml");
    const cluster = scenario.cluster("example-etcd-cluster");
    const before = await cluster.settled(3);
    await cluster.put("hello", "world");
    await local.kubectl("create", "-f", "example/etcd-backup-operator/volume_backup_cr.yaml");
    await succeeds("etcdbackup/example-volume-backup");
    await cluster.put("hello", "lost");

    await local.kubectl("delete", "pods", "-l", "etcd_cluster=example-etcd-cluster");
    await local.kubectl("create", "-f", "example/etcd-restore-operator/restore_volume_cr.yaml");
    await succeeds("etcdrestore/example-etcd-cluster");
    const after = await cluster.settled(3);
    assert.equal(await cluster.valueOf("hello"), "world");
    assert.notEqual(after.status?.clusterID, before.status?.clusterID);
    const pods = await client.list(resources.pods, { namespace: "default", labelSelector: "app=etcd-store-worker" });
    assert.deepEqual(pods.items, [], "no worker stays");
  });
});

async function succeeds(object: string): Promise<void> {
  await scenario.local.kubectl("wait", "--for=condition=Complete", "--timeout=3m", object);
}
