import assert from "node:assert/strict";
import { resources } from "@etcd-operator/kubernetes-client";
import {
  ApiUnderTest,
  type ClusterUnderTest,
  objectId,
  whyPostponed,
} from "@etcd-operator/testing/cluster/act-under-test.ts";
import { A_CLAIM } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import { EtcdUnderTest } from "@etcd-operator/testing/cluster/etcd-under-test.ts";
import { afterAll, beforeAll, describe, test } from "vitest";
import type { ObjectId } from "../model/action.ts";
import { ANNOTATIONS } from "../objects/annotations.ts";

const { pods, persistentVolumeClaims } = resources;
const ON_CLAIMS = { pod: { persistentVolumeClaimSpec: A_CLAIM } };
const deleteClaims = (...claims: readonly ObjectId[]) => ({ kind: "delete-claims", claims }) as const;
let api: ApiUnderTest;
let etcd: EtcdUnderTest;

beforeAll(async () => {
  api = await ApiUnderTest.start();
  etcd = await EtcdUnderTest.start("3.5.16", "a");
});
afterAll(async () => {
  await etcd?.stop();
  await api?.stop();
});

async function running(): Promise<ClusterUnderTest> {
  const at = await api.aCluster(ON_CLAIMS, { clusterID: await etcd.clusterId(), incarnation: 1 });
  await at.runs(etcd);
  return at;
}

async function isThere(at: ClusterUnderTest, name: string): Promise<boolean> {
  const claim = await at.get(persistentVolumeClaims, name);
  return claim !== undefined && claim.metadata.deletionTimestamp === undefined;
}

describe("a claim", () => {
  test("of a member that was removed is deleted, and one that is gone has been", async () => {
    const at = await running();
    const claim = objectId(await at.aClaim("removed", { [ANNOTATIONS.memberId]: "abc" }));
    const seen = await at.observe();
    assert.deepEqual(await at.act(seen, deleteClaims(claim)), { kind: "done" });
    assert.equal(await isThere(at, "removed"), false);
    await at.takeAway(persistentVolumeClaims, "removed");
    assert.deepEqual(await at.act(seen, deleteClaims(claim)), { kind: "done" });
  });

  test("stays while a pod of its name is there", async () => {
    const at = await running();
    const claim = objectId(await at.aClaim("removed"));
    const seen = await at.observe();
    await at.aPod("removed", { phase: "Failed" });
    assert.match(whyPostponed(await at.act(seen, deleteClaims(claim))), /not deleting PVC removed: pod removed exists/);
    assert.equal(await isThere(at, "removed"), true);
  });

  test("of a member in the list stays, whatever the claim is called", async () => {
    const at = await running();
    const [byId, byName] = [
      await at.aClaim("b", { [ANNOTATIONS.memberId]: await etcd.idOf("a") }),
      await at.aClaim("a"),
    ];
    const seen = await at.observe();
    await at.takeAway(pods, "a");
    assert.match(whyPostponed(await at.act(seen, deleteClaims(objectId(byId)))), /b is still in the member list/);
    assert.match(whyPostponed(await at.act(seen, deleteClaims(objectId(byName)))), /a is still in the member list/);
    assert.deepEqual([await isThere(at, "a"), await isThere(at, "b")], [true, true]);
  });

  test("stays when the user has come to want it kept", async () => {
    const at = await running();
    const claim = objectId(await at.aClaim("removed"));
    const seen = await at.observe();
    await at.patchSpec({ persistentVolumeClaimRetentionPolicy: { whenScaled: "Retain" } });
    assert.match(whyPostponed(await at.act(seen, deleteClaims(claim))), /has a new spec/);
    assert.equal(await isThere(at, "removed"), true);
  });

  test("of abandoned initial members is deleted; one that holds a member of an unrecorded cluster stays", async () => {
    const at = await api.aCluster(ON_CLAIMS, { incarnation: 1 });
    const [empty, full] = [await at.aClaim("empty"), await at.aClaim("full", { [ANNOTATIONS.memberId]: "abc" })];
    const seen = await at.observe();
    assert.deepEqual(await at.act(seen, deleteClaims(objectId(empty))), { kind: "done" });
    assert.match(whyPostponed(await at.act(seen, deleteClaims(objectId(full)))), /full may belong to a cluster/);
  });
});

describe("deleting a PVC or pod on a stale read, matched by name instead of UID (zookeeper-operator#312, cass-operator#412)", () => {
  test("a claim that was recreated under the same name stays", async () => {
    const at = await running();
    const old = objectId(await at.aClaim("b"));
    const seen = await at.observe();
    await at.takeAway(persistentVolumeClaims, "b");
    await at.aClaim("b");
    assert.match(whyPostponed(await at.act(seen, deleteClaims(old))), /PVC b has changed/);
    assert.equal(await isThere(at, "b"), true);
  });

  test("a claim that was given to another cluster stays", async () => {
    const at = await running();
    const { metadata } = await at.aClaim("b");
    const seen = await at.observe();
    const annotations = { [ANNOTATIONS.clusterUid]: "another" };
    const given = await api.client.patch(persistentVolumeClaims, metadata, { merge: { metadata: { annotations } } });
    assert.match(whyPostponed(await at.act(seen, deleteClaims(objectId(given)))), /PVC b has changed/);
    assert.equal(await isThere(at, "b"), true);
  });
});
