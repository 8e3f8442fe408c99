import assert from "node:assert/strict";
import type { Stored } from "@etcd-operator/kubernetes-client";
import { resources } from "@etcd-operator/kubernetes-client";
import {
  ApiUnderTest,
  type ClusterUnderTest,
  objectId,
  whyPostponed,
} from "@etcd-operator/testing/cluster/act-under-test.ts";
import { A_CLAIM } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { afterAll, beforeAll, describe, test } from "vitest";
import { memberAddresses } from "../../api/cluster/cluster-names.ts";
import { ownResources } from "../../objects/own-resources.ts";
import type { Step } from "../model/action.ts";
import type { Observation } from "../model/observation.ts";
import { ANNOTATIONS } from "../objects/annotations.ts";
import { formatClusterRecord } from "./cluster-record.ts";

const { etcdClusters } = ownResources;
const { persistentVolumeClaims, pods } = resources;
const ON_CLAIMS = { pod: { persistentVolumeClaimSpec: A_CLAIM } };
const DECLARE = { kind: "declare-seeds", names: ["a"], incarnation: 1 } as const;
const NAMES = ["example-a", "example-b", "example-c"];
let api: ApiUnderTest;

beforeAll(async () => {
  api = await ApiUnderTest.start();
});
afterAll(() => api?.stop());

/** A cluster whose EtcdCluster was deleted and created again, and whose claims stayed. */
async function createdAgain(spec: object = ON_CLAIMS): Promise<ClusterUnderTest> {
  const at = await api.aCluster(ON_CLAIMS);
  const cluster = await at.cluster();
  const voters = Object.fromEntries(NAMES.map((name) => [name, memberAddresses(cluster, name).peerUrl]));
  for (const name of NAMES) {
    const record = formatClusterRecord({ term: 2, index: 9, version: "3.5.16", voters });
    const ids = { [ANNOTATIONS.memberId]: name, [ANNOTATIONS.clusterId]: "c1", [ANNOTATIONS.clusterRecord]: record };
    await at.aClaim(name, ids);
  }
  await api.client.delete(etcdClusters, at);
  await at.create(spec);
  return at;
}

function reattach({ cluster }: Observation, clusterId = "c1"): Step {
  return { kind: "reattach", clusterId, incarnation: 1, from: cluster.metadata.uid };
}

describe("the cluster whose volumes a deleted EtcdCluster left", () => {
  test("is this one from now on, when a live look shows the same", async () => {
    const at = await createdAgain();
    const seen = await at.observe();
    assert.deepEqual(seen.claims, []);
    assert.deepEqual(seen.retained?.map(({ name }) => name).sort(), NAMES);
    assert.deepEqual(await at.act(seen, reattach(seen)), { kind: "done" });
  });

  test("is not, when a pod is there that no cache has shown and that may use a volume", async () => {
    const at = await createdAgain();
    const seen = await at.observe();
    const { metadata } = await at.aPod("example-a");
    await api.client.patch(pods, metadata, { merge: { metadata: { ownerReferences: null } } });
    assert.match(whyPostponed(await at.act(seen, reattach(seen))), /Pod example-a exists and may use a volume/);
  });

  test("is not, when its volumes have changed, or are of another one", async () => {
    const at = await createdAgain();
    const seen = await at.observe();
    assert.match(whyPostponed(await at.act(seen, reattach(seen, "c2"))), /the volumes have changed/);
    for (const name of NAMES.slice(0, 2)) await at.takeAway(persistentVolumeClaims, name);
    assert.match(whyPostponed(await at.act(seen, reattach(seen))), /the volumes have changed/);
  });

  test("is not, when the EtcdCluster has changed: its spec may ask for something else by now", async () => {
    const at = await createdAgain();
    const seen = await at.observe();
    await at.patchSpec({ bootstrap: { onExistingVolumes: "Hold" } });
    assert.match(whyPostponed(await at.act(seen, reattach(seen))), /EtcdCluster example has changed/);
    await api.client.delete(etcdClusters, at);
    assert.match(whyPostponed(await at.act(seen, reattach(seen))), /EtcdCluster example does not exist any more/);
  });
});

describe("members that run without an owner", () => {
  const orphaned = async (at: ClusterUnderTest, name: string) => {
    const { metadata } = await at.aPod(name, { memberId: name });
    return api.client.patch(pods, metadata, { merge: { metadata: { ownerReferences: null } } });
  };
  const adopt = (...found: readonly Stored<Pod>[]): Step => {
    return { kind: "adopt-orphans", clusterId: "c1", incarnation: 1, from: "", pods: found.map(objectId) };
  };

  test("are this cluster from now on, when a live look shows the same", async () => {
    const at = await api.aCluster();
    const pod = await orphaned(at, "example-a");
    assert.deepEqual(await at.act(await at.observe(), adopt(pod)), { kind: "done" });
  });

  test("are not, when one was deleted, or another one was created", async () => {
    const at = await api.aCluster();
    const pod = await orphaned(at, "example-a");
    const gone = { ...pod, metadata: { ...pod.metadata, name: "example-b", uid: "gone" } };
    assert.match(whyPostponed(await at.act(await at.observe(), adopt(pod, gone))), /Pod example-b was deleted/);
    await orphaned(at, "example-c");
    assert.match(
      whyPostponed(await at.act(await at.observe(), adopt(pod))),
      /Pod example-c has changed since it was read/,
    );
  });

  test("keep a cluster from being bootstrapped beside them, also where no cache shows them", async () => {
    const at = await api.aCluster();
    const seen = await at.observe();
    await orphaned(at, "example-a");
    assert.match(whyPostponed(await at.act(seen, DECLARE)), /Pod example-a runs without an owner/);
  });

  test("get this owner, once their cluster is on record; not those that another one owns by now", async () => {
    const at = await api.aCluster({}, { clusterID: "c1", incarnation: 1 });
    const [mine, other] = [await orphaned(at, "example-a"), await orphaned(at, "example-b")];
    const taken = { apiVersion: "apps/v1", kind: "StatefulSet", name: "b", uid: "b", controller: true };
    await api.client.patch(pods, other.metadata, { merge: { metadata: { ownerReferences: [taken] } } });
    const step: Step = { kind: "take-over", claims: [], pods: [objectId(mine), objectId(other)] };
    assert.match(whyPostponed(await at.act(await at.observe(), step)), /Pod example-b has changed since it was read/);
    const owners = async (name: string) => (await at.there(pods, name)).metadata.ownerReferences?.map(({ uid }) => uid);
    assert.deepEqual(
      [await owners("example-a"), await owners("example-b")],
      [[(await at.cluster()).metadata.uid], ["b"]],
    );
  });

  test("are not of another cluster than the one on record", async () => {
    const at = await api.aCluster({}, { clusterID: "c1", incarnation: 1 });
    const pod = await orphaned(at, "example-a");
    await at.patchStatus({ clusterID: "c2" });
    const step: Step = { kind: "take-over", claims: [], pods: [objectId(pod)] };
    assert.match(whyPostponed(await at.act(await at.observe(), step)), /has changed since it was read/);
  });
});

describe("a new cluster beside the volumes of a deleted one", () => {
  test("is not bootstrapped, also where no cache shows them", async () => {
    const at = await createdAgain();
    const seen = { ...(await at.observe()), retained: [] };
    assert.match(whyPostponed(await at.act(seen, DECLARE)), /volumes of a deleted EtcdCluster/);
  });

  test("is bootstrapped when its spec says so", async () => {
    const at = await createdAgain({ ...ON_CLAIMS, bootstrap: { onExistingVolumes: "Ignore" } });
    assert.deepEqual(await at.act(await at.observe(), DECLARE), { kind: "done" });
  });
});

describe("a volume that is taken over", () => {
  const takeOver = async (at: ClusterUnderTest, name: string): Promise<Step> => ({
    kind: "take-over",
    claims: [objectId(await at.there(persistentVolumeClaims, name))],
    pods: [],
  });
  const ownerOf = async (at: ClusterUnderTest, name: string) =>
    (await at.there(persistentVolumeClaims, name)).metadata.annotations?.[ANNOTATIONS.clusterUid];

  test("says whose it is, and keeps all else that it says; a second try changes nothing", async () => {
    const at = await createdAgain();
    await at.patchStatus({ clusterID: "c1", incarnation: 1 });
    const before = (await at.there(persistentVolumeClaims, "example-a")).metadata;
    const step = await takeOver(at, "example-a");
    assert.deepEqual(await at.act(await at.observe(), step), { kind: "done" });
    const { metadata } = await at.there(persistentVolumeClaims, "example-a");
    const { uid } = (await at.cluster()).metadata;
    assert.deepEqual(metadata.annotations, { ...before.annotations, [ANNOTATIONS.clusterUid]: uid });
    assert.match(whyPostponed(await at.act(await at.observe(), step)), /was replaced by another one/);
    assert.equal(
      (await at.there(persistentVolumeClaims, "example-a")).metadata.resourceVersion,
      metadata.resourceVersion,
    );
  });

  test.each([
    ["an EtcdCluster", { apiVersion: "etcd.database.coreos.com/v1beta2", kind: "EtcdCluster", name: "b", uid: "b" }],
    ["a controller", { apiVersion: "apps/v1", kind: "StatefulSet", name: "b", uid: "b", controller: true }],
  ])("is not one that %s owns", async (_, owner) => {
    const at = await createdAgain();
    await at.patchStatus({ clusterID: "c1", incarnation: 1 });
    const claim = { namespace: at.namespace, name: "example-a" };
    await api.client.patch(persistentVolumeClaims, claim, { merge: { metadata: { ownerReferences: [owner] } } });
    const before = await ownerOf(at, "example-a");
    assert.match(
      whyPostponed(await at.act(await at.observe(), await takeOver(at, "example-a"))),
      /was replaced by another one/,
    );
    assert.equal(await ownerOf(at, "example-a"), before);
  });

  test("is not one of another etcd cluster than the one on record", async () => {
    const at = await createdAgain();
    await at.patchStatus({ clusterID: "c2", incarnation: 1 });
    assert.match(
      whyPostponed(await at.act(await at.observe(), await takeOver(at, "example-a"))),
      /was replaced by another one/,
    );
  });
});

test("the cluster's annotations are written on a claim, and the note that its member leaves is removed", async () => {
  const at = await api.aCluster(ON_CLAIMS);
  const claim = await at.aClaim("example-a", { [ANNOTATIONS.leaving]: "true" });
  const record = { term: 1, index: 2, version: "3.5.16", voters: { a: "http://a:2380" } };
  const step = { kind: "note-cluster", claims: [{ claim: objectId(claim), record }] } as const;
  assert.deepEqual(await at.act(await at.observe(), step), { kind: "done" });
  const { annotations } = (await at.there(persistentVolumeClaims, "example-a")).metadata;
  assert.equal(annotations?.[ANNOTATIONS.clusterRecord], formatClusterRecord(record));
  assert.equal(annotations?.[ANNOTATIONS.leaving], undefined);
  assert.match(whyPostponed(await at.act(await at.observe(), step)), /has changed since it was read/);
});
