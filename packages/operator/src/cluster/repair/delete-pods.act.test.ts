import assert from "node:assert/strict";
import { resources } from "@etcd-operator/kubernetes-client";
import {
  ApiUnderTest,
  type ClusterUnderTest,
  objectId,
  type PodGiven,
  whyPostponed,
} from "@etcd-operator/testing/cluster/act-under-test.ts";
import { EtcdUnderTest } from "@etcd-operator/testing/cluster/etcd-under-test.ts";
import { afterAll, beforeAll, describe, test } from "vitest";
import { ownResources } from "../../objects/own-resources.ts";
import { exitCodeOf } from "../guard/refusal.ts";
import type { ObjectId } from "../model/action.ts";
import { GUARD_CONTAINER } from "../objects/pod/guard-container.ts";

const { pods } = resources;
const deletePods = (...some: readonly ObjectId[]) => ({ kind: "delete-pods", pods: some }) as const;
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

/** A cluster of the member "a", whose pod is as the case wants it. */
async function running(given: PodGiven = {}): Promise<ClusterUnderTest> {
  const at = await api.aCluster({}, { clusterID: await etcd.clusterId(), incarnation: 1 });
  await at.runs(etcd, given);
  return at;
}

async function isThere(at: ClusterUnderTest, name: string): Promise<boolean> {
  const pod = await at.get(pods, name);
  return pod !== undefined && pod.metadata.deletionTimestamp === undefined;
}

describe("a pod", () => {
  test("of no member in the list is deleted, and one that does not exist has been", async () => {
    const at = await running();
    const stray = objectId(await at.aPod("stray"));
    const seen = await at.observe();
    assert.deepEqual(await at.act(seen, deletePods(stray)), { kind: "done" });
    assert.equal(await isThere(at, "stray"), false);
    await at.takeAway(pods, "stray");
    assert.deepEqual(await at.act(seen, deletePods(stray)), { kind: "done" });
  });

  test("of a member in the list is not deleted, and neither is one that holds its data under another name", async () => {
    const at = await running();
    const disguised = objectId(await at.aPod("disguised", { memberId: await etcd.idOf("a") }));
    const seen = await at.observe();
    const a = objectId(await at.there(pods, "a"));
    assert.match(whyPostponed(await at.act(seen, deletePods(a))), /a is still in the member list/);
    assert.match(whyPostponed(await at.act(seen, deletePods(disguised))), /disguised is still in the member list/);
    assert.deepEqual([await isThere(at, "a"), await isThere(at, "disguised")], [true, true]);
  });

  const refused = { state: { terminated: { exitCode: exitCodeOf("data-gone") } } };
  const idle: [string, PodGiven][] = [
    ["has ended for good", { phase: "Failed" }],
    ["no node has got", { phase: "pending" }],
    [
      "the guard keeps from starting",
      {
        status: {
          initContainerStatuses: [
            { name: GUARD_CONTAINER, ready: false, restartCount: 1, image: "", imageID: "", ...refused },
          ],
        },
      },
    ],
  ];
  test.each(idle)("of a member in the list that %s is deleted, also without a majority", async (_, given) => {
    const at = await running(given);
    at.etcd.clear();
    const seen = await at.observe();
    assert.deepEqual(await at.act(seen, deletePods(objectId(await at.there(pods, "a")))), { kind: "done" });
    assert.equal(await isThere(at, "a"), false);
  });

  test("is not deleted when the members are unknown", async () => {
    const at = await running();
    const stray = objectId(await at.aPod("stray"));
    at.etcd.clear();
    assert.match(
      whyPostponed(await at.act(await at.observe(), deletePods(stray))),
      /no voter that could list the members responds/,
    );
    assert.equal(await isThere(at, "stray"), true);
  });
});

describe("deleting a PVC or pod on a stale read, matched by name instead of UID (zookeeper-operator#312, cass-operator#412)", () => {
  test("a pod that was recreated under the same name stays", async () => {
    const at = await running();
    const old = objectId(await at.aPod("b", { phase: "Failed" }));
    const seen = await at.observe();
    await at.takeAway(pods, "b");
    await at.aPod("b");
    assert.match(whyPostponed(await at.act(seen, deletePods(old))), /Pod b has changed/);
    assert.equal(await isThere(at, "b"), true);
  });

  test("a pod that has changed since stays", async () => {
    const at = await running();
    const old = objectId(await at.aPod("b", { phase: "pending" }));
    const seen = await at.observe();
    await api.client.patchStatus(pods, { namespace: at.namespace, name: "b" }, { merge: { status: { message: "x" } } });
    assert.match(whyPostponed(await at.act(seen, deletePods(old))), /Pod b has changed/);
    assert.equal(await isThere(at, "b"), true);
  });

  test("pods of a cluster that was recreated stay", async () => {
    const at = await running();
    const stray = objectId(await at.aPod("stray", { phase: "Failed" }));
    const seen = await at.observe();
    await api.client.delete(ownResources.etcdClusters, at);
    await at.create();
    assert.match(whyPostponed(await at.act(seen, deletePods(stray))), /was deleted and created again/);
    assert.equal(await isThere(at, "stray"), true);
  });

  test("nothing is deleted by an operator that does not lead any more", async () => {
    const at = await running();
    const stray = objectId(await at.aPod("stray"));
    const seen = await at.observe();
    at.isLeading = false;
    await assert.rejects(at.act(seen, deletePods(stray)), { code: "not-leading" });
    assert.equal(await isThere(at, "stray"), true);
  });
});

describe("before a cluster is on record", () => {
  test("pods of abandoned initial members are deleted, those of declared ones stay", async () => {
    const memberIntents = [{ name: "b", incarnation: 2, purpose: "Seed" as const }];
    const at = await api.aCluster({}, { incarnation: 2, memberIntents });
    const [a, b] = [objectId(await at.aPod("a")), objectId(await at.aPod("b"))];
    const seen = await at.observe();
    assert.match(whyPostponed(await at.act(seen, deletePods(a, b))), /b may belong to a cluster/);
    assert.equal(await isThere(at, "a"), true);
    assert.deepEqual(await at.act(seen, deletePods(a)), { kind: "done" });
    assert.deepEqual([await isThere(at, "a"), await isThere(at, "b")], [false, true]);
  });

  test("pods that hold a member, or that coreos/etcd-operator made, stay", async () => {
    const at = await api.aCluster();
    const [identified, old] = [await at.aPod("identified", { memberId: "abc" }), await at.aPod("old")];
    const bare = await api.client.patch(pods, old.metadata, { merge: { metadata: { annotations: null } } });
    const seen = await at.observe();
    assert.match(whyPostponed(await at.act(seen, deletePods(objectId(identified)))), /identified may belong/);
    assert.match(whyPostponed(await at.act(seen, deletePods(objectId(bare)))), /old may belong/);
  });
});
