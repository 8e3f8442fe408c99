import assert from "node:assert/strict";
import { API_VERSION, GROUP, VERSION } from "@etcd-operator/operator/api/group.ts";
import { applyCrds } from "@etcd-operator/testing/kube/control-plane/crds.ts";
import { injectedKube } from "@etcd-operator/testing/kube/injected.ts";
import { kubectlOrThrow } from "@etcd-operator/testing/kube/kubectl.ts";
import type { Rest } from "@etcd-operator/testing/kube/rest.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { afterAll, beforeAll, describe, test } from "vitest";

const kube = injectedKube();
const crd = `etcdclusters.${GROUP}`;
const crdPath = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${crd}`;
let rest: Rest;
let clusters: string;

/** A CRD as the coreos operator made it years ago: no schema, no subresource, unknown fields kept. */
const OLD_CRD = {
  apiVersion: "apiextensions.k8s.io/v1beta1",
  kind: "CustomResourceDefinition",
  metadata: { name: crd },
  spec: {
    group: GROUP,
    version: VERSION,
    versions: [{ name: VERSION, served: true, storage: true }],
    scope: "Namespaced",
    preserveUnknownFields: true,
    names: {
      kind: "EtcdCluster",
      listKind: "EtcdClusterList",
      plural: "etcdclusters",
      singular: "etcdcluster",
      shortNames: ["etcd"],
    },
  },
};

/** A cluster as that operator left it, with fields that no schema of ours knows. */
const OLD_CLUSTER = {
  apiVersion: API_VERSION,
  kind: "EtcdCluster",
  metadata: { name: "veteran" },
  spec: { size: 3, version: "3.2.13", repository: "quay.io/coreos/etcd", leftover: "from a fork" },
  status: {
    phase: "Running",
    controlPaused: false,
    conditions: [
      {
        type: "Available",
        status: "True",
        reason: "Cluster available",
        lastUpdateTime: "2019-03-01T10:00:00Z",
        lastTransitionTime: "2019-03-01T10:00:00Z",
      },
    ],
    size: 3,
    serviceName: "veteran-client",
    clientPort: 2379,
    members: { ready: ["veteran-a", "veteran-b", "veteran-c"] },
    currentVersion: "3.2.13",
    targetVersion: "",
  },
};

beforeAll(async () => {
  rest = await kube.rest();
  await rest("DELETE", crdPath);
  await until(async () => (await rest("GET", crdPath)).code === 404, { what: `${crd} to be gone` });
  await kube.putStored(`/registry/apiextensions.k8s.io/customresourcedefinitions/${crd}`, OLD_CRD);
  clusters = `/apis/${API_VERSION}/namespaces/${await kube.freshNamespace()}/etcdclusters`;
  await until(async () => (await rest("GET", clusters)).code === 200, { what: "the old CRD to be served" });
  const { code, text } = await rest("POST", clusters, OLD_CLUSTER);
  assert.equal(code, 201, text);
});

afterAll(() => applyCrds(kube));

describe("our CRDs over those that were born as apiextensions v1beta1", () => {
  test("kubectl apply upgrades the CRD, and the clusters in it live on", async () => {
    const before = await rest<{ spec: { preserveUnknownFields?: boolean } }>("GET", crdPath);
    assert.equal(before.body.spec.preserveUnknownFields, true);

    await applyCrds(kube);
    const after = await rest<{ spec: { preserveUnknownFields?: boolean } }>("GET", crdPath);
    assert.notEqual(after.body.spec.preserveUnknownFields, true);

    const veteran = `${clusters}/veteran`;
    await until(async () => hasDefaults((await rest("GET", veteran)).body.spec), {
      what: "the new schema to be in force",
    });
    const { body } = await rest("GET", veteran);
    assert.deepEqual(body.status, OLD_CLUSTER.status);
    assert.equal((body.spec as { size: number }).size, 3);
    assert.ok(!("leftover" in (body.spec as object)), "a field of no schema is pruned");

    const scaled = await rest("PATCH", veteran, { spec: { size: 5 } });
    assert.equal(scaled.code, 200, scaled.text);
    const reported = await rest("PATCH", `${veteran}/status`, { status: { readyMembers: 3 } });
    assert.equal(reported.code, 200, reported.text);
    assert.deepEqual(reported.body.status, { ...OLD_CLUSTER.status, readyMembers: 3 });
  });

  test("a name that coreos/etcd-operator cut short keeps working once it has a status", async () => {
    const name = "a".repeat(60);
    const path = `${clusters}/${name}`;
    const key = `/registry/${GROUP}/etcdclusters/${clusters.split("/")[5]}/${name}`;
    await kube.putStored(key, { ...OLD_CLUSTER, metadata: { name, namespace: clusters.split("/")[5] ?? "" } });
    await until(async () => (await rest("GET", path)).code === 200, { what: `${name} to be served` });
    const { code, text } = await rest("PATCH", path, { spec: { size: 5 } });
    assert.equal(code, 200, text);
  });

  test("kubectl sees the columns of the new CRD", async () => {
    const namespace = clusters.split("/")[5] ?? "";
    assert.match(
      await kubectlOrThrow(kube.adminKubeconfig, ["get", "etcd", "-n", namespace]),
      /NAME +READY +VERSION +STATUS +AGE/,
    );
  });
});

function hasDefaults(spec: unknown): boolean {
  return typeof spec === "object" && spec !== null && "memberReplacement" in spec;
}
