import assert from "node:assert/strict";
import { resources } from "@etcd-operator/kubernetes-client";
import { ApiUnderTest, objectId, whyPostponed } from "@etcd-operator/testing/cluster/act-under-test.ts";
import { A_CLAIM } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import { afterAll, beforeAll, test } from "vitest";
import { ownResources } from "../../objects/own-resources.ts";
import type { ObjectId } from "../model/action.ts";
import { ownerReference } from "../objects/owner.ts";

const { persistentVolumeClaims } = resources;
const ON_CLAIMS = { pod: { persistentVolumeClaimSpec: A_CLAIM } };
const align = (isOwned: boolean, ...claims: readonly ObjectId[]) =>
  ({ kind: "align-claims", claims, isOwned }) as const;
let api: ApiUnderTest;

beforeAll(async () => {
  api = await ApiUnderTest.start();
});
afterAll(() => api?.stop());

test("a claim comes to belong to its cluster and stops doing so, and other owners stay", async () => {
  const at = await api.aCluster(ON_CLAIMS);
  const { metadata } = await at.aClaim("a");
  const other = { apiVersion: "v1", kind: "ConfigMap", name: "other", uid: "other" };
  const merge = { metadata: { ownerReferences: [other] } };
  const claim = objectId(await api.client.patch(persistentVolumeClaims, metadata, { merge }));
  const owners = async () => (await at.there(persistentVolumeClaims, "a")).metadata.ownerReferences ?? [];
  const seen = await at.observe();
  const { uid } = seen.cluster.metadata;

  assert.deepEqual(await at.act(seen, align(true, claim)), { kind: "done" });
  assert.deepEqual(
    (await owners()).map((owner) => owner.uid),
    ["other", uid],
  );
  assert.deepEqual(await at.act(seen, align(true, claim)), { kind: "done" });
  assert.equal((await owners()).length, 2);
  assert.deepEqual(await at.act(seen, align(false, claim)), { kind: "done" });
  assert.deepEqual(
    (await owners()).map((owner) => owner.uid),
    ["other"],
  );
});

test("a claim that coreos/etcd-operator made is still the cluster's own when it stops belonging to it", async () => {
  const at = await api.aCluster(ON_CLAIMS);
  const { metadata } = await at.aClaim("a");
  const ownerReferences = [ownerReference(await at.cluster())];
  const merge = { metadata: { annotations: null, ownerReferences } };
  await api.client.patch(persistentVolumeClaims, metadata, { merge });
  const seen = await at.observe();
  const [claim] = seen.claims;
  assert.ok(claim?.isOwned);

  assert.deepEqual(await at.act(seen, align(false, claim)), { kind: "done" });
  const after = (await at.observe()).claims.map(({ name, isOwned }) => ({ name, isOwned }));
  assert.deepEqual(after, [{ name: "a", isOwned: false }]);
});

test("a claim whose labels were edited gets them back", async () => {
  const at = await api.aCluster(ON_CLAIMS);
  const { metadata } = await at.aClaim("a");
  for (const value of [null, "another"]) {
    const merge = { metadata: { labels: { etcd_cluster: value } } };
    const claim = objectId(await api.client.patch(persistentVolumeClaims, metadata, { merge }));
    assert.deepEqual(await at.act(await at.observe(), align(false, claim)), { kind: "done" });
    assert.deepEqual((await at.there(persistentVolumeClaims, "a")).metadata.labels, metadata.labels);
  }
});

test("a claim is not given to a cluster that is gone: the garbage collector would take its data", async () => {
  const at = await api.aCluster(ON_CLAIMS);
  const claim = objectId(await at.aClaim("a"));
  const seen = await at.observe();
  await api.client.delete(ownResources.etcdClusters, at);
  assert.match(whyPostponed(await at.act(seen, align(true, claim))), /does not exist any more/);
  assert.equal((await at.there(persistentVolumeClaims, "a")).metadata.ownerReferences, undefined);
});

test("a claim that was recreated under the same name is left alone", async () => {
  const at = await api.aCluster(ON_CLAIMS);
  const old = objectId(await at.aClaim("a"));
  await at.takeAway(persistentVolumeClaims, "a");
  await at.aClaim("a");
  assert.match(whyPostponed(await at.act(await at.observe(), align(true, old))), /PVC a was replaced by another one/);
  assert.equal((await at.there(persistentVolumeClaims, "a")).metadata.ownerReferences, undefined);
});
