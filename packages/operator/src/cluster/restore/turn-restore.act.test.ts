import assert from "node:assert/strict";
import { resources } from "@etcd-operator/kubernetes-client";
import { asked, inRestore } from "@etcd-operator/testing/cluster/a-restore.ts";
import { ApiUnderTest, whyPostponed } from "@etcd-operator/testing/cluster/act-under-test.ts";
import { afterAll, beforeAll, describe, test } from "vitest";
import type { EtcdClusterStatus } from "../../api/etcd-cluster.ts";
import type { EtcdRestore } from "../../api/etcd-restore.ts";
import { ownResources } from "../../objects/own-resources.ts";

let api: ApiUnderTest;

beforeAll(async () => {
  api = await ApiUnderTest.start();
});
afterAll(() => api?.stop());

test("the cluster before is not back while a pod of the restored one is there, though no cache shows it", async () => {
  const at = await api.aCluster({}, inRestore("RollingBack"));
  await at.aPod("old");
  const seen = await at.observe();
  await at.aPod("new", { incarnation: 2 });
  const turn = { kind: "turn-restore", to: "RolledBack" } as const;
  assert.match(whyPostponed(await at.act(seen, turn)), /Pod new of the restored cluster still exists/);
  await at.takeAway(resources.pods, "new");
  assert.deepEqual(await at.act(seen, turn), { kind: "done" });
});

test.each(["RollingBack", "Done"] as const)("that it is %s is all in the status", async (to) => {
  const at = await api.aCluster({}, inRestore("Restoring"));
  assert.deepEqual(await at.act(await at.observe(), { kind: "turn-restore", to }), { kind: "done" });
});

describe("a request that was taken off the cluster while its restore goes on", () => {
  const turn = { kind: "turn-restore", to: "RollingBack" } as const;

  /** An EtcdRestore that the status of the cluster names, as the attempt that it is at. */
  async function underWay(attempt = "", phase: "Restoring" | "Failed" = "Restoring") {
    const at = await api.aCluster();
    const spec = { etcdCluster: { name: at.name }, backupStorageType: "S3", s3: { path: "b/k", awsSecret: "aws" } };
    const metadata = { namespace: at.namespace, name: "from-backup" };
    const made = await api.client.create(ownResources.etcdRestores, { metadata, spec } as EtcdRestore);
    await api.client.updateStatus(ownResources.etcdRestores, { ...made, status: { phase } });
    const { restore } = inRestore("Fencing");
    await at.patchStatus({ restore: { ...restore, uid: `${made.metadata.uid}${attempt}` } } as EtcdClusterStatus);
    return { at, restore: made };
  }

  test.each(["", "-2"])("calls nothing off: that puts it back (attempt%s)", async (attempt) => {
    const { at, restore } = await underWay(attempt);
    const seen = await at.observe();
    assert.match(
      whyPostponed(await at.act(seen, turn)),
      /continues and writes its annotation again; delete it to cancel/,
    );
    await at.takeAway(ownResources.etcdRestores, restore.metadata.name);
    assert.deepEqual(await at.act(seen, turn), { kind: "done" });
  });

  test("cancels one that has failed, or has another name by now", async () => {
    const failed = await underWay("", "Failed");
    assert.deepEqual(await failed.at.act(await failed.at.observe(), turn), { kind: "done" });
    const other = await underWay("0");
    assert.deepEqual(await other.at.act(await other.at.observe(), turn), { kind: "done" });
  });

  test("cancels it when the request itself says so", async () => {
    const { at } = await underWay();
    const { annotations } = asked({ isCanceled: true });
    await api.client.patch(ownResources.etcdClusters, at, { merge: { metadata: { annotations } } });
    assert.deepEqual(await at.act(await at.observe(), turn), { kind: "done" });
  });
});
