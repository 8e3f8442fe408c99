import assert from "node:assert/strict";
import { KubeClient, resources } from "@etcd-operator/kubernetes-client";
import { connectionFromKubeconfig } from "@etcd-operator/kubernetes-client/connect/kubeconfig.ts";
import { API_VERSION } from "@etcd-operator/operator/api/group.ts";
import { applyCrds } from "@etcd-operator/testing/kube/control-plane/crds.ts";
import { openWorkspace, type Workspace } from "@etcd-operator/testing/kube/control-plane/workspace.ts";
import { injectedKube } from "@etcd-operator/testing/kube/injected.ts";
import { OperatorNamespace } from "@etcd-operator/testing/kube/rights/operator-namespace.ts";
import { aManifest } from "@etcd-operator/testing/scenario/cluster/a-manifest.ts";
import { ClusterUnderTest } from "@etcd-operator/testing/scenario/cluster/cluster-under-test.ts";
import { conditionOf, is } from "@etcd-operator/testing/scenario/cluster/settled.ts";
import { titleWith } from "@etcd-operator/testing/skipped.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { afterAll, beforeAll, beforeEach, describe, test } from "vitest";

// Here no pod ever runs: a cluster gets as far as its first pod, and what matters is what is made, left alone and said.
const kube = injectedKube();
const RESTRICTED = { "pod-security.kubernetes.io/enforce": "restricted" };
let client: KubeClient;
let workspace: Workspace;
let namespace: OperatorNamespace;

beforeAll(async () => {
  await applyCrds(kube);
  client = new KubeClient(await connectionFromKubeconfig(kube.adminKubeconfig), { userAgent: "test" });
  workspace = await openWorkspace("operator-objects-");
  namespace = await OperatorNamespace.make(kube, workspace, RESTRICTED);
  await namespace.startOperator("one");
});
afterAll(async () => {
  await workspace?.close();
  await client?.close();
});
beforeEach(({ onTestFailed }) => onTestFailed(async () => void process.stdout.write(await namespace.tell())));

async function create(name: string, options = {}, where = namespace): Promise<ClusterUnderTest> {
  await where.create(aManifest(name, { namespace: where.name, ...options }));
  return clusterNamed(name, where);
}

function clusterNamed(name: string, where = namespace): ClusterUnderTest {
  return new ClusterUnderTest(client, { name, namespace: where.name });
}

/** Waits for the first pod of a cluster, which is all that it can have here. */
async function seedOf(cluster: ClusterUnderTest) {
  return until(async () => (await cluster.pods())[0], { what: `the first pod of ${cluster.name}` });
}

async function aService(name: string) {
  const spec = { selector: { app: "shop" }, ports: [{ port: 80 }] };
  return client.create(resources.services, { metadata: { namespace: namespace.name, name }, spec });
}

async function versionOf(service: string): Promise<string> {
  return (await client.get(resources.services, { namespace: namespace.name, name: service })).metadata.resourceVersion;
}

test("where the restricted profile is enforced its pods are admitted; the status says that nothing runs yet", async () => {
  const cluster = await create("fresh");
  const seed = await seedOf(cluster);
  assert.match(seed.metadata.name, /^fresh-[a-z0-9]{10}$/);
  const { status } = await cluster.becomes("is being created", (seen) => is(seen, "Available", "False"));
  assert.equal(status?.readyMembers, 0);
  assert.equal(status?.serviceName, "fresh-client");
  assert.deepEqual(await namespace.columnsOf("fresh"), ["0/3", "", "Creating"]);
});

describe("a Service of another owner", () => {
  test("under the name that members need is left alone, reported, and waited for", async () => {
    const foreign = await aService("taken");
    const cluster = await create("taken");
    const seen = await cluster.becomes("says why it waits", (now) => is(now, "Degraded"));
    assert.match(conditionOf(seen, "Degraded")?.message ?? "", /Service 'taken'/);
    assert.match(seen.status?.reason ?? "", /Service 'taken' belongs to another owner: rename or delete it/);
    assert.deepEqual(await cluster.pods(), []);
    assert.equal(await versionOf("taken"), foreign.metadata.resourceVersion);

    await namespace.kubectl("delete", "service", "taken");
    await seedOf(cluster);
    const { spec } = await client.get(resources.services, { namespace: namespace.name, name: "taken" });
    assert.equal(spec?.clusterIP, "None");
  });

  test("under the name that clients use is left alone, reported, and waited for before the cluster is bootstrapped", async () => {
    const foreign = await aService("shop-client");
    const cluster = await create("shop");
    const seen = await cluster.becomes("says why it waits", (now) => is(now, "Degraded"));
    assert.match(conditionOf(seen, "Degraded")?.message ?? "", /Service 'shop-client'/);
    assert.equal(conditionOf(seen, "Available")?.status, "False");
    assert.deepEqual(await cluster.pods(), []);
    assert.equal(await versionOf("shop-client"), foreign.metadata.resourceVersion);

    await namespace.kubectl("delete", "service", "shop-client");
    await seedOf(cluster);
  });
});

test("a Service of ours that was changed is corrected", async () => {
  const cluster = await create("mended");
  await seedOf(cluster);
  const selector = { app: "shop", etcd_node: "one" };
  const ref = { namespace: namespace.name, name: "mended-client" };
  await client.patch(resources.services, ref, { merge: { spec: { selector } } });
  const isRight = async () => {
    const { spec } = await client.get(resources.services, ref);
    return spec?.selector?.app === "etcd" && spec.selector.etcd_node === undefined;
  };
  await until(isRight, { what: "the Service to be put right" });
});

test("an object that no schema would let in fails with the reason, and is reconciled once it is fixed", async () => {
  const metadata = { name: "invalid", namespace: namespace.name, generation: 1 };
  const object = { apiVersion: API_VERSION, kind: "EtcdCluster", metadata, spec: { size: 9, version: "latest" } };
  await kube.putStored(`/registry/etcd.database.coreos.com/etcdclusters/${namespace.name}/invalid`, object);
  const cluster = clusterNamed("invalid");
  const seen = await cluster.becomes("fails", ({ status }) => status?.phase === "Failed");
  assert.match(seen.status?.reason ?? "", /spec\.size.*9/);
  assert.match(seen.status?.reason ?? "", /spec\.version.*latest/);
  assert.deepEqual(await cluster.pods(), []);

  await cluster.changeSpec({ size: 1, version: "3.5.16" });
  await seedOf(cluster);
  await cluster.becomes("is being created", ({ status }) => status?.phase === "Creating");
});

test("a paused cluster is observed and gets no objects until it is resumed", async () => {
  const cluster = await create("paused", { paused: true });
  await cluster.becomes("says so", ({ status }) => status?.controlPaused === true);
  assert.deepEqual(await cluster.labelled(resources.services), []);
  await cluster.changeSpec({ paused: false });
  await seedOf(cluster);
});

const lack = !kube.hasControllerManager && "needs kube-controller-manager";
test.skipIf(lack)(
  titleWith(
    "a cluster that is deleted while it is created is removed completely, and another of its name starts from nothing",
    lack,
  ),
  { timeout: 120_000 },
  async () => {
    const cluster = await create("again", { claims: true, whenDeleted: "Delete" });
    const before = await seedOf(cluster);
    await namespace.kubectl("delete", "etcd", "again");
    // No kubelet is there to confirm that the pod has stopped.
    await namespace.kubectl("delete", "pod", before.metadata.name, "--grace-period=0", "--force", "--ignore-not-found");
    const successor = await create("again", { claims: true, whenDeleted: "Delete" });
    const { metadata } = await successor.get();
    const after = await until(
      async () => (await successor.pods()).find((pod) => pod.metadata.ownerReferences?.[0]?.uid === metadata.uid),
      { what: "the first pod of the new one", timeoutMs: 60_000 },
    );
    assert.notEqual(after.metadata.name, before.metadata.name);
    await successor.delete();
    await namespace.kubectl("delete", "pod", after.metadata.name, "--grace-period=0", "--force", "--ignore-not-found");
    await successor.isGone();
  },
);

test("of two operators one stands by, and takes over what the other one began when that is stopped", async () => {
  const ours = await OperatorNamespace.make(kube, workspace);
  const first = await ours.startOperator("one");
  const cluster = await create("shared", {}, ours);
  const seed = await seedOf(cluster);
  const second = await ours.startOperator("two");
  assert.ok(second.has("standing by") && !second.has("watching"));

  process.kill(first.pid, "SIGTERM");
  assert.equal(await first.ended, "exit code 0");
  const key = `${ours.name}/shared`;
  const hasLooked = () => second.lines().some((line) => line.msg === "pass ended" && line.cluster === key);
  await until(hasLooked, { what: "the second one to look at the cluster", unless: second.diedEarly });
  assert.deepEqual(
    (await cluster.pods()).map(({ metadata }) => metadata.uid),
    [seed.metadata.uid],
  );
  assert.deepEqual(ours.complaints(), []);
});

test("in all this no operator had anything to complain of", () => {
  // A cluster that is deleted in the middle of a reconcile is no error.
  assert.deepEqual(
    namespace.complaints().filter((line) => !line.includes('"code":"not-found"')),
    [],
  );
});
