import assert from "node:assert/strict";
import { API_VERSION } from "@etcd-operator/operator/api/group.ts";
import { applyCrds } from "@etcd-operator/testing/kube/control-plane/crds.ts";
import { injectedKube } from "@etcd-operator/testing/kube/injected.ts";
import { kubectlOrThrow } from "@etcd-operator/testing/kube/kubectl.ts";
import type { KubeObject, Rest } from "@etcd-operator/testing/kube/rest.ts";
import { beforeAll, describe, test } from "vitest";

const kube = injectedKube();
let rest: Rest;
let namespace: string;
let clusters: string;

beforeAll(async () => {
  await applyCrds(kube);
  rest = await kube.rest();
  namespace = await kube.freshNamespace();
  clusters = `/apis/${API_VERSION}/namespaces/${namespace}/etcdclusters`;
});

const kubectl = (...args: string[]) => kubectlOrThrow(kube.adminKubeconfig, ["--namespace", namespace, ...args]);

async function created(name: string, spec: Record<string, unknown>): Promise<KubeObject> {
  const answer = await rest("POST", clusters, {
    apiVersion: API_VERSION,
    kind: "EtcdCluster",
    metadata: { name },
    spec,
  });
  assert.equal(answer.code, 201, answer.text);
  return answer.body;
}

async function report(cluster: KubeObject, status: Record<string, unknown>): Promise<void> {
  const answer = await rest("PUT", `${clusters}/${cluster.metadata?.name}/status`, { ...cluster, status });
  assert.equal(answer.code, 200, answer.text);
}

describe("the CRDs on a real API server", () => {
  test("defaults are filled in when a cluster is created", async () => {
    const cluster = await created("defaults", { size: 3 });
    assert.deepEqual(cluster.spec, {
      size: 3,
      repository: "quay.io/coreos/etcd",
      bootstrap: { mode: "Sequential", onExistingVolumes: "Reattach" },
      persistentVolumeClaimRetentionPolicy: { whenDeleted: "Retain", whenScaled: "Delete" },
      memberReplacement: { afterSeconds: 60 },
      rebalance: "Off",
      recovery: { onQuorumLoss: "Manual", graceSeconds: 300 },
    });
  });

  test("a half-filled block gets the other half", async () => {
    const cluster = await created("halves", {
      size: 1,
      persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete" },
    });
    const { persistentVolumeClaimRetentionPolicy } = cluster.spec as Record<string, unknown>;
    assert.deepEqual(persistentVolumeClaimRetentionPolicy, { whenDeleted: "Delete", whenScaled: "Delete" });
  });

  test("kubectl get shows readiness, version, state and age; -o wide also the leader, the size of the database, and the phase", async () => {
    const cluster = await created("columns", { size: 3, version: "3.5.16" });
    const figures = { ready: "2/3", leader: "columns-a", databaseSize: "1.2 GiB" };
    await report(cluster, { phase: "Running", state: "Rolling 2/3", currentVersion: "3.5.16", ...figures });
    const [header = "", row = ""] = (await kubectl("get", "etcd", "columns", "-o", "wide")).split("\n");
    const titles = ["NAME", "READY", "VERSION", "STATUS", "AGE", "LEADER", "DB SIZE", "PHASE"];
    const cells = header.split(/\s{2,}/);
    assert.deepEqual([...cells].sort(), [...titles].sort());
    const shown = Object.fromEntries(row.split(/\s{2,}/).map((cell, index) => [cells[index], cell]));
    assert.deepEqual(
      ["READY", "VERSION", "STATUS", "LEADER", "DB SIZE", "PHASE"].map((title) => shown[title]),
      ["2/3", "3.5.16", "Rolling 2/3", "columns-a", "1.2 GiB", "Running"],
    );
    const [narrow = ""] = (await kubectl("get", "etcd", "columns")).split("\n");
    assert.deepEqual(narrow.split(/\s+/), ["NAME", "READY", "VERSION", "STATUS", "AGE"]);
  });

  test("kubectl get shows of a backup what is done, how far that has got, and why it is verified or not", async () => {
    const spec = { etcdCluster: { name: "a" }, storageType: "S3", s3: { path: "bucket/a", awsSecret: "aws" } };
    const backups = clusters.replace("etcdclusters", "etcdbackups");
    const made = await rest("POST", backups, {
      apiVersion: API_VERSION,
      kind: "EtcdBackup",
      metadata: { name: "columns" },
      spec,
    });
    assert.equal(made.code, 201, made.text);
    const conditions = [
      { type: "Progressing", status: "True", reason: "Running" },
      { type: "Succeeded", status: "Unknown", reason: "AttemptFailed" },
    ];
    const progress = { startedAt: "2030-01-01T00:00:00Z", step: "Streaming", percent: 24, done: "24 % of 1 GiB" };
    const told = await rest("PUT", `${backups}/columns/status`, { ...made.body, status: { conditions, progress } });
    assert.equal(told.code, 200, told.text);
    const [header = "", row = ""] = (await kubectl("get", "etcdbackup", "columns")).split("\n");
    const titles = header.split(/\s{2,}/);
    assert.deepEqual(titles.slice(1, 6), ["STORAGE", "STATUS", "PROGRESS", "SUCCEEDED", "REASON"]);
    assert.match(row, /^columns +S3 +Running +24 % of 1 GiB +AttemptFailed/);
  });

  test("kubectl get all lists clusters", async () => {
    await created("listed", { size: 1 });
    // Has kubectl forget the kinds of test files that ran before this one: it asks for each that it remembers.
    await kubectl("api-resources");
    assert.match(await kubectl("get", "all"), /etcdcluster\.etcd\.database\.coreos\.com\/listed/);
  });

  test("kubectl scale changes the size, and refuses one that is too large", async () => {
    const cluster = await created("scaled", { size: 3 });
    await report(cluster, { size: 3, labelSelector: "app=etcd,etcd_cluster=scaled" });
    await kubectl("scale", "etcd", "scaled", "--replicas=5");
    const { body } = await rest<{ spec: { replicas: number }; status: { selector: string } }>(
      "GET",
      `${clusters}/scaled/scale`,
    );
    assert.equal(body.spec.replicas, 5);
    assert.equal(body.status.selector, "app=etcd,etcd_cluster=scaled");
    await assert.rejects(kubectl("scale", "etcd", "scaled", "--replicas=9"), /less than or equal to 7/);
  });

  test("kubectl explain knows the pod's fields", async () => {
    const explained = await kubectl("explain", "etcdcluster.spec.pod");
    for (const field of ["etcdEnv", "persistentVolumeClaimSpec", "DNSTimeoutInSecond", "topologySpreadConstraints"]) {
      assert.match(explained, new RegExp(field));
    }
    assert.match(await kubectl("explain", "etcdcluster.spec.size"), /Number of members/);
  });

  test("keys of Kubernetes that our schema does not know are kept", async () => {
    const pod = {
      affinity: { nodeAffinity: { fromTheFuture: { a: [1, "b"] } } },
      tolerations: [{ key: "a", operator: "Exists", invented: true }],
      securityContext: { supplementalGroupsPolicy: "Strict", invented: { b: 1 } },
      resources: { requests: { cpu: "100m", memory: 1024 }, claims: [{ name: "gpu" }] },
      topologySpreadConstraints: [{ maxSkew: 1, topologyKey: "zone", whenUnsatisfiable: "DoNotSchedule", invented: 2 }],
      persistentVolumeClaimSpec: {
        accessModes: ["ReadWriteOncePod"],
        volumeAttributesClassName: "gold",
        resources: { requests: { storage: "1Gi", invented: "2" }, limits: { storage: "2Gi" } },
        dataSourceRef: { kind: "VolumeSnapshot", name: "x", apiGroup: "snapshot.storage.k8s.io" },
      },
      etcdEnv: [{ name: "A", valueFrom: { fileKeyRef: { path: "p", key: "k", volumeName: "v" } } }],
    };
    const cluster = await created("unknown-keys", { size: 1, pod });
    assert.deepEqual((cluster.spec as { pod: unknown }).pod, pod);
  });

  test("a field that is none of ours is pruned", async () => {
    const cluster = await created("pruned", { size: 1, sise: 3 });
    assert.ok(!("sise" in (cluster.spec as object)));
  });

  test("status is written through its subresource only", async () => {
    const cluster = await created("subresource", { size: 1 });
    const status = { phase: "Running" };
    const { body } = await rest("PUT", `${clusters}/subresource`, { ...cluster, status });
    assert.equal(body.status, undefined);
    await report(body, status);
    assert.deepEqual((await rest("GET", `${clusters}/subresource`)).body.status, status);
  });
});
