import assert from "node:assert/strict";
import { resources } from "@etcd-operator/kubernetes-client";
import { inRestore, inSavedRestore } from "@etcd-operator/testing/cluster/a-restore.ts";
import { ApiUnderTest, objectId, whyPostponed } from "@etcd-operator/testing/cluster/act-under-test.ts";
import { A_CLAIM } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import { EtcdUnderTest } from "@etcd-operator/testing/cluster/etcd-under-test.ts";
import { afterAll, afterEach, beforeAll, describe, test } from "vitest";
import { ownResources } from "../../objects/own-resources.ts";
import type { ObjectId } from "../model/action.ts";

const { pods, persistentVolumeClaims } = resources;
const discard = (things: { pods?: readonly ObjectId[]; claims?: readonly ObjectId[]; noRoomFor?: string }) =>
  ({ kind: "discard-set-aside", pods: [], claims: [], ...things }) as const;
let api: ApiUnderTest;
let etcd: EtcdUnderTest | undefined;

beforeAll(async () => {
  api = await ApiUnderTest.start();
});
afterEach(async () => {
  await etcd?.stop();
  etcd = undefined;
});
afterAll(() => api?.stop());

/** A restored cluster of two that run, and the cluster that it replaced. */
async function aRestoredCluster(size = 2, revision = 1) {
  etcd = await EtcdUnderTest.start("3.5.16", "a", "b");
  const { restore, ...noted } = inSavedRestore("Joining", { clusterID: await etcd.clusterId(), incarnation: 2 });
  assert.ok(restore);
  const status = { ...noted, restore: { ...restore, revision } };
  const at = await api.aCluster({ size, pod: { persistentVolumeClaimSpec: A_CLAIM } }, status);
  await at.runs(etcd, { incarnation: 2 });
  const [pod, claim] = [await at.aPod("old", { memberId: "x" }), await at.aClaim("older")];
  return { at, pod: objectId(pod), claim: objectId(claim) };
}

describe("what was set aside", () => {
  test("is deleted when all members of the restored cluster answer", async () => {
    const { at, pod, claim } = await aRestoredCluster();
    assert.deepEqual(await at.act(await at.observe(), discard({ pods: [pod], claims: [claim] })), { kind: "done" });
    assert.ok((await at.get(pods, "old"))?.metadata.deletionTimestamp);
    const left = await at.get(persistentVolumeClaims, "older");
    assert.ok(!left || left.metadata.deletionTimestamp);
    assert.equal((await at.there(pods, "a")).metadata.deletionTimestamp, undefined);
  });

  test("stays when one of them does not answer this moment, or there are too few", async () => {
    const { at, pod } = await aRestoredCluster();
    const seen = await at.observe();
    await etcd?.kill("b");
    const outcome = await at.act(seen, discard({ pods: [pod] })).catch((error: Error) => error);
    assert.ok(outcome instanceof Error || outcome.kind === "postponed");
    assert.equal((await at.there(pods, "old")).metadata.deletionTimestamp, undefined);
    await etcd?.stop();
    const small = await aRestoredCluster(3);
    const tooFew = await small.at.act(await small.at.observe(), discard({ pods: [small.pod] }));
    assert.match(whyPostponed(tooFew), /too few members/);
  });

  test("stays when one of them has less than the snapshot this moment", async () => {
    const { at, pod } = await aRestoredCluster(2, 1_000);
    const outcome = await at.act(await at.observe(), discard({ pods: [pod] }));
    assert.match(whyPostponed(outcome), /of the restored cluster has less data than the snapshot/);
    assert.equal((await at.there(pods, "old")).metadata.deletionTimestamp, undefined);
  });

  test("is all that is deleted, whatever was planned", async () => {
    const { at } = await aRestoredCluster();
    const [member, claim] = [await at.there(pods, "a"), await at.aClaim("new", {}, 2)];
    const seen = await at.observe();
    assert.match(
      whyPostponed(await at.act(seen, discard({ pods: [objectId(member)] }))),
      /not of the previous cluster/,
    );
    assert.match(
      whyPostponed(await at.act(seen, discard({ claims: [objectId(claim)] }))),
      /has changed since it was read/,
    );
    assert.ok(await at.get(persistentVolumeClaims, "new"));
  });

  test("stays on a claim that nothing was saved of, whatever was planned", async () => {
    const { at, claim } = await aRestoredCluster();
    const { status } = await at.there(ownResources.etcdClusters, at.name);
    assert.ok(status?.restore);
    for (const change of [
      { saved: false },
      { saved: true, allSaved: false },
      { saved: true, allSaved: true, keepsClaimsBelow: 2 },
    ]) {
      await at.patchStatus({ ...status, restore: { ...status.restore, ...change } });
      const outcome = await at.act(await at.observe(), discard({ claims: [claim] }));
      assert.match(whyPostponed(outcome), /its data has not been backed up/);
    }
    assert.equal((await at.there(persistentVolumeClaims, "older")).metadata.deletionTimestamp, undefined);
  });

  test("stays when it is another one by now, or the restore has turned", async () => {
    const { at, claim, pod } = await aRestoredCluster();
    const seen = await at.observe();
    await api.client.patch(
      persistentVolumeClaims,
      { namespace: at.namespace, name: "older" },
      { merge: { metadata: { labels: { x: "y" } } } },
    );
    assert.match(whyPostponed(await at.act(seen, discard({ claims: [claim] }))), /has changed/);
    await at.patchStatus(inRestore("Done", { clusterID: await etcd?.clusterId() }));
    assert.match(whyPostponed(await at.act(seen, discard({ pods: [pod] }))), /new status/);
  });
});

describe("a stopped pod that makes room", () => {
  test("is deleted while the new one waits for a node, and stays when that has found one", async () => {
    const at = await api.aCluster({}, inSavedRestore("Restoring", { incarnation: 2 }));
    const [old, other] = [await at.aPod("old", { memberId: "x" }), await at.aPod("other", { memberId: "y" })];
    await at.aPod("new", { incarnation: 2, phase: "pending" });
    await at.aPod("placed", { incarnation: 2 });
    const seen = await at.observe();
    assert.deepEqual(await at.act(seen, discard({ pods: [objectId(old)], noRoomFor: "new" })), { kind: "done" });
    assert.ok((await at.get(pods, "old"))?.metadata.deletionTimestamp);
    const late = await at.act(seen, discard({ pods: [objectId(other)], noRoomFor: "placed" }));
    assert.match(whyPostponed(late), /does not wait for a node any more/);
  });

  test("stays when nothing was saved of it, whatever was planned", async () => {
    const { restore, ...noted } = inSavedRestore("Restoring", { incarnation: 2 });
    assert.ok(restore);
    const at = await api.aCluster({}, { ...noted, restore });
    const old = await at.aPod("old", { memberId: "x" });
    await at.aPod("new", { incarnation: 2, phase: "pending" });
    for (const change of [
      { saved: false },
      { saved: true, allSaved: false },
      { saved: true, allSaved: true, keepsClaimsBelow: 2 },
    ]) {
      await at.patchStatus({ ...noted, restore: { ...restore, ...change } });
      const outcome = await at.act(await at.observe(), discard({ pods: [objectId(old)], noRoomFor: "new" }));
      assert.match(whyPostponed(outcome), /not deleting Pod old: its data has not been backed up/);
    }
    assert.equal((await at.there(pods, "old")).metadata.deletionTimestamp, undefined);
  });
});
