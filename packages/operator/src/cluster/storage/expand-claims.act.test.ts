import assert from "node:assert/strict";
import type { KubeObject, Resource } from "@etcd-operator/kubernetes-client";
import { resources } from "@etcd-operator/kubernetes-client";
import {
  ApiUnderTest,
  type ClusterUnderTest,
  objectId,
  whyPostponed,
} from "@etcd-operator/testing/cluster/act-under-test.ts";
import { A_CLAIM } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import { afterAll, beforeAll, describe, test } from "vitest";
import type { ObjectId } from "../model/action.ts";

const { persistentVolumeClaims } = resources;
const storageClasses: Resource<KubeObject> = {
  group: "storage.k8s.io",
  version: "v1",
  kind: "StorageClass",
  plural: "storageclasses",
  namespaced: false,
};
const expand = (storage: string, ...claims: readonly ObjectId[]) =>
  ({ kind: "expand-claims", claims, storage }) as const;
let api: ApiUnderTest;

beforeAll(async () => {
  api = await ApiUnderTest.start();
  await aClass("growing", true);
  await aClass("fixed", false);
});
afterAll(() => api?.stop());

async function aClass(name: string, allowVolumeExpansion: boolean): Promise<void> {
  const made = { metadata: { name }, provisioner: "example.com/disk", allowVolumeExpansion };
  await api.client.create(storageClasses, made as KubeObject);
}

async function onClass(storageClassName: string): Promise<ClusterUnderTest> {
  return api.aCluster({ pod: { persistentVolumeClaimSpec: { ...A_CLAIM, storageClassName } } });
}

/** A claim that has its volume. */
async function aBoundClaim(at: ClusterUnderTest, name: string): Promise<ObjectId> {
  const { metadata } = await at.aClaim(name);
  const status = { phase: "Bound", capacity: { storage: "1Gi" } };
  return objectId(await api.client.patchStatus(persistentVolumeClaims, metadata, { merge: { status } }));
}

async function sizeOf(at: ClusterUnderTest, name: string): Promise<string | undefined> {
  return (await at.there(persistentVolumeClaims, name)).spec?.resources?.requests?.storage;
}

describe("claims", () => {
  test("ask for more", async () => {
    const at = await onClass("growing");
    const claims = [await aBoundClaim(at, "a"), await aBoundClaim(at, "b")];
    assert.deepEqual(await at.act(await at.observe(), expand("2Gi", ...claims)), { kind: "done" });
    assert.deepEqual([await sizeOf(at, "a"), await sizeOf(at, "b")], ["2Gi", "2Gi"]);
  });

  test("that have changed since they were seen are checked again, and the others grow all the same", async () => {
    const at = await onClass("growing");
    const claims = [await aBoundClaim(at, "a"), await aBoundClaim(at, "b")];
    const { metadata } = await at.there(persistentVolumeClaims, "a");
    await api.client.patch(persistentVolumeClaims, metadata, { merge: { metadata: { labels: { x: "y" } } } });
    assert.match(whyPostponed(await at.act(await at.observe(), expand("2Gi", ...claims))), /PVC a has changed/);
    assert.deepEqual([await sizeOf(at, "a"), await sizeOf(at, "b")], ["1Gi", "2Gi"]);
  });

  test("of a class that does not allow it stay as they are, and what the API server says is shown to the user", async () => {
    const at = await onClass("fixed");
    const claim = await aBoundClaim(at, "a");
    const error = { code: "forbidden", message: /must support resize/ };
    await assert.rejects(at.act(await at.observe(), expand("2Gi", claim)), error);
    assert.equal(await sizeOf(at, "a"), "1Gi");
  });
});
