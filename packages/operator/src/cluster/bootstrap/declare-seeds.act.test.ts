import assert from "node:assert/strict";
import { resources } from "@etcd-operator/kubernetes-client";
import { inRestore } from "@etcd-operator/testing/cluster/a-restore.ts";
import { ApiUnderTest, whyPostponed } from "@etcd-operator/testing/cluster/act-under-test.ts";
import { A_CLAIM } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import { afterAll, beforeAll, describe, test } from "vitest";
import { ownResources } from "../../objects/own-resources.ts";

const DECLARE = { kind: "declare-seeds", names: ["a"], incarnation: 1 } as const;
const ON_CLAIMS = { pod: { persistentVolumeClaimSpec: A_CLAIM } };
let api: ApiUnderTest;

beforeAll(async () => {
  api = await ApiUnderTest.start();
});
afterAll(() => api?.stop());

test("initial members may be declared where nothing of the cluster is there", async () => {
  const at = await api.aCluster();
  assert.deepEqual(await at.act(await at.observe(), DECLARE), { kind: "done" });
});

test("a pod that the cache has not shown yet keeps a cluster from being bootstrapped beside its data", async () => {
  const at = await api.aCluster();
  const seen = await at.observe();
  await at.aPod("old");
  assert.match(whyPostponed(await at.act(seen, DECLARE)), /objects of this cluster already exist: Pod old/);
});

test("a claim of this cluster keeps it from being bootstrapped again, owned or not", async () => {
  const at = await api.aCluster(ON_CLAIMS);
  const seen = await at.observe();
  await at.aClaim("old");
  assert.match(whyPostponed(await at.act(seen, DECLARE)), /PVC old/);
});

test("a recreated cluster waits for the pods of its predecessor, and not for the claims that it kept", async () => {
  const at = await api.aCluster(ON_CLAIMS);
  await at.aPod("old");
  await at.aClaim("old");
  await api.client.delete(ownResources.etcdClusters, at);
  await at.create(ON_CLAIMS);
  const seen = await at.observe();
  assert.match(whyPostponed(await at.act(seen, DECLARE)), /Pod old of a deleted cluster/);
  await at.takeAway(resources.pods, "old");
  assert.deepEqual(await at.act(seen, DECLARE), { kind: "done" });
});

test("nothing is declared for a cluster that has changed, is being deleted, or was recreated", async () => {
  const at = await api.aCluster();
  const seen = await at.observe();
  await at.patchStatus({ phase: "Creating" });
  assert.match(whyPostponed(await at.act(seen, DECLARE)), /has changed/);
  await api.client.patch(ownResources.etcdClusters, at, { merge: { metadata: { finalizers: ["example.com/wait"] } } });
  await api.client.delete(ownResources.etcdClusters, at);
  assert.match(whyPostponed(await at.act(await at.observe(), DECLARE)), /does not exist any more/);
  await api.client.patch(ownResources.etcdClusters, at, { merge: { metadata: { finalizers: null } } });
  assert.match(whyPostponed(await at.act(seen, DECLARE)), /does not exist any more/);
  await at.create();
  assert.match(whyPostponed(await at.act(seen, DECLARE)), /does not exist any more/);
});

describe("where a restore has set aside the previous cluster", () => {
  test("its first member may be declared, when none of the previous members may run", async () => {
    const at = await api.aCluster(ON_CLAIMS, inRestore("Fencing"));
    await at.aClaim("old");
    await at.aPod("ended", { phase: "Failed" });
    assert.deepEqual(await at.act(await at.observe(), DECLARE), { kind: "done" });
  });

  test("it may not while one of them may run, though no cache shows it", async () => {
    const at = await api.aCluster({}, inRestore("Fencing"));
    const seen = await at.observe();
    await at.aPod("old", { memberId: "a1" });
    assert.match(
      whyPostponed(await at.act(seen, DECLARE)),
      /waiting for old, a member of the previous cluster, to stop/,
    );
  });

  test("it may not beside another attempt of its own", async () => {
    const at = await api.aCluster({}, inRestore("Restoring"));
    const seen = await at.observe();
    await at.aPod("new", { incarnation: 2 });
    assert.match(whyPostponed(await at.act(seen, DECLARE)), /objects of this cluster already exist: Pod new/);
  });
});
