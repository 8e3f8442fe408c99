import assert from "node:assert/strict";
import type { Change } from "@etcd-operator/kubernetes-client";
import {
  byLabel,
  EventRecorder,
  Informer,
  KubeClient,
  pathOf,
  resources,
  runElected,
  withoutManagedFields,
} from "@etcd-operator/kubernetes-client";
import { connectionFromKubeconfig } from "@etcd-operator/kubernetes-client/connect/kubeconfig.ts";
import { ownResources } from "@etcd-operator/operator/objects/own-resources.ts";
import { applyCrds } from "@etcd-operator/testing/kube/control-plane/crds.ts";
import { injectedKube } from "@etcd-operator/testing/kube/injected.ts";
import { errorOf } from "@etcd-operator/testing/kubernetes/error-of.ts";
import { until } from "@etcd-operator/testing/until.ts";
import type { ConfigMap } from "kubernetes-types/core/v1.d.ts";
import { afterAll, beforeAll, describe, test } from "vitest";

const kube = injectedKube();
const { etcdClusters } = ownResources;
const { configMaps, events, leases, pods } = resources;
const clients: KubeClient[] = [];
let client: KubeClient;
let namespace: string;

async function connect(kubeconfig = kube.adminKubeconfig): Promise<KubeClient> {
  const connected = new KubeClient(await connectionFromKubeconfig(kubeconfig), { userAgent: "kubernetes-client-test" });
  clients.push(connected);
  return connected;
}

beforeAll(async () => {
  client = await connect();
  namespace = await kube.freshNamespace();
});
afterAll(() => Promise.all(clients.map((each) => each.close())));

const aConfigMap = (name: string, more: Partial<ConfigMap> = {}): ConfigMap => ({
  ...more,
  metadata: { ...more.metadata, namespace, name },
});

describe("objects", () => {
  test("are created, read, replaced, patched and deleted", async () => {
    const created = await client.create(configMaps, aConfigMap("crud", { data: { a: "1" } }));
    const ref = { namespace, name: "crud" };
    assert.deepEqual(await client.get(configMaps, ref), created);
    const updated = await client.update(configMaps, { ...created, data: { a: "2" } });
    assert.notEqual(updated.metadata.resourceVersion, created.metadata.resourceVersion);
    assert.deepEqual((await client.patch(configMaps, ref, { merge: { data: { b: "3" } } })).data, { a: "2", b: "3" });
    const json = [{ op: "remove", path: "/data/a" }] as const;
    assert.deepEqual((await client.patch(configMaps, ref, { json })).data, { b: "3" });
    assert.deepEqual((await client.patch(configMaps, ref, { strategic: { data: { c: "4" } } })).data, {
      b: "3",
      c: "4",
    });
    const apply = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "crud" }, data: { b: "5" } };
    const applied = await client.patch(configMaps, ref, { apply }, { fieldManager: "other", force: true });
    assert.deepEqual(applied.data, { b: "5", c: "4" });
    assert.deepEqual(applied.metadata.managedFields?.map(({ manager }) => manager).sort(), [
      "kubernetes-client-test",
      "other",
    ]);
    await client.delete(configMaps, ref);
    assert.equal((await errorOf(client.get(configMaps, ref))).code, "not-found");
  });

  test("that are there already, have changed, are wrong or are not allowed are distinguished", async () => {
    const first = await client.create(configMaps, aConfigMap("errors"));
    assert.equal((await errorOf(client.create(configMaps, aConfigMap("errors")))).code, "already-exists");
    await client.update(configMaps, { ...first, data: { a: "1" } });
    assert.equal((await errorOf(client.update(configMaps, { ...first, data: { a: "2" } }))).code, "conflict");
    const invalid = await errorOf(client.create(configMaps, aConfigMap("Not_A_Name")));
    assert.deepEqual([invalid.code, invalid.status, invalid.causes[0]?.field], ["invalid", 422, "metadata.name"]);
    const account = await connect(await kube.kubeconfigFor({ namespace, serviceAccount: "default" }));
    assert.equal((await errorOf(account.get(configMaps, { namespace, name: "errors" }))).code, "forbidden");
    const { credentials: _, ...server } = await connectionFromKubeconfig(kube.adminKubeconfig);
    const bad = { current: async () => ({ authorization: "Bearer wrong" }), forget: () => undefined };
    const stranger = new KubeClient({ ...server, credentials: bad });
    clients.push(stranger);
    assert.equal((await errorOf(stranger.list(pods))).code, "unauthorized");
  });

  test("are seen by the one whose certificate is shown, also when that changes", async () => {
    const { credentials, ...server } = await connectionFromKubeconfig(kube.adminKubeconfig);
    const admin = await credentials.current();
    let credential = {};
    const changing = new KubeClient({
      ...server,
      credentials: { current: async () => credential, forget: () => undefined },
    });
    clients.push(changing);
    assert.match(`${(await errorOf(changing.list(pods))).code}`, /^(forbidden|unauthorized)$/);
    credential = admin;
    await changing.list(pods);
  });

  test("are deleted only as the UID and version that were meant", async () => {
    const { metadata } = await client.create(configMaps, aConfigMap("preconditions"));
    const { uid, resourceVersion } = metadata;
    const ref = { namespace, name: "preconditions" };
    const other = { preconditions: { uid: "00000000-0000-0000-0000-000000000000" } };
    assert.equal((await errorOf(client.delete(configMaps, ref, other))).code, "conflict");
    const older = { preconditions: { uid, resourceVersion: "1" } };
    assert.equal((await errorOf(client.delete(configMaps, ref, older))).code, "conflict");
    await client.delete(configMaps, ref, { preconditions: { uid, resourceVersion } });
  });

  test("that wait for a finalizer are returned as they go", async () => {
    const finalizers = ["example.com/hold"];
    await client.create(configMaps, aConfigMap("held", { metadata: { finalizers } }));
    const ref = { namespace, name: "held" };
    const going = await client.delete(configMaps, ref, { propagationPolicy: "Background" });
    assert.ok(going?.metadata.deletionTimestamp);
    await client.patch(configMaps, ref, { merge: { metadata: { finalizers: null } } });
    assert.equal((await errorOf(client.get(configMaps, ref))).code, "not-found");
  });

  test("of ours have a status of their own", async () => {
    await applyCrds(kube);
    const object = { metadata: { namespace, name: "ours" }, spec: { size: 3, version: "3.5.16" } };
    const path = pathOf(etcdClusters, { namespace });
    const body = { apiVersion: "etcd.database.coreos.com/v1beta2", kind: "EtcdCluster", ...object };
    await client.request("POST", path, { body });
    const cluster = await client.get(etcdClusters, { namespace, name: "ours" });
    const reported = await client.updateStatus(etcdClusters, { ...cluster, status: { phase: "Running" } });
    assert.equal(reported.status?.phase, "Running");
    const patched = await client.patchStatus(etcdClusters, cluster.metadata, { merge: { status: { size: 3 } } });
    assert.deepEqual([patched.status?.size, patched.spec.size], [3, 3]);
  });
});

describe("many objects", () => {
  const count = 200;
  beforeAll(async () => {
    for (let start = 0; start < count; start += 20) {
      const names = Array.from({ length: 20 }, (_, index) => `many-${start + index}`);
      const labels = (name: string) => ({ metadata: { labels: { many: `${name.at(-1)}` } } });
      await Promise.all(names.map((name) => client.create(configMaps, aConfigMap(name, labels(name)))));
    }
  });

  test("come in pages of one version", async () => {
    const pages = [];
    const options = { namespace, labelSelector: "many", limit: 60 };
    for await (const page of client.pages(configMaps, options)) pages.push(page);
    assert.deepEqual(
      pages.map(({ items }) => items.length),
      [60, 60, 60, 20],
    );
    assert.equal(new Set(pages.map(({ resourceVersion }) => resourceVersion)).size, 1);
    const { items } = await client.list(configMaps, options);
    assert.equal(items.length, count);
    assert.ok(items.every(({ kind, apiVersion }) => kind === "ConfigMap" && apiVersion === "v1"));
  });

  test("are followed by an informer, which sees our own writes", async () => {
    const abort = new AbortController();
    const errors: unknown[] = [];
    const told: Change<ConfigMap>["type"][] = [];
    const informer = new Informer({
      client,
      resource: configMaps,
      namespace,
      labelSelector: "many",
      pageSize: 60,
      indexers: { last: byLabel("many") },
      transform: withoutManagedFields,
      onError: (error) => errors.push(error),
    });
    informer.onChange(({ type }) => told.push(type));
    const running = informer.run(abort.signal);
    const { cache } = informer;
    await cache.waitForSync(abort.signal);
    assert.deepEqual([cache.size, told.length, told.at(-1)], [count, count + 1, "synced"]);
    assert.equal(cache.byIndex("last", `${namespace}/7`).length, count / 10);

    const ref = { namespace, name: "many-7" };
    const merge = { data: { a: "grüße" }, metadata: { labels: { many: "x" } } };
    const { metadata } = await client.patch(configMaps, ref, { merge });
    await cache.waitUntilSeen(ref, metadata.resourceVersion);
    assert.deepEqual(cache.get(ref)?.data, { a: "grüße" });
    assert.equal(cache.get(ref)?.metadata.managedFields, undefined);
    assert.equal(cache.byIndex("last", `${namespace}/x`).length, 1);

    await client.delete(configMaps, ref);
    await cache.waitUntilGone(ref, metadata.uid);
    assert.deepEqual(told.slice(count + 1), ["modified", "deleted"]);
    abort.abort();
    await running;
    assert.deepEqual(errors, []);
  });

  test("are deleted together", async () => {
    await client.deleteCollection(configMaps, { namespace, labelSelector: "many=1" });
    assert.equal((await client.list(configMaps, { namespace, labelSelector: "many=1" })).items.length, 0);
    assert.notEqual((await client.list(configMaps, { namespace, labelSelector: "many=2" })).items.length, 0);
  });
});

describe("watches", () => {
  test("report what happens, up to a megabyte at once, and end when they are closed", async () => {
    const { resourceVersion } = await client.list(configMaps, { namespace });
    const large = "ü".repeat(500_000);
    await client.create(configMaps, aConfigMap("watched", { data: { large } }));
    await client.delete(configMaps, { namespace, name: "watched" });
    const seen: unknown[] = [];
    const options = { namespace, resourceVersion, timeoutSeconds: 2, allowWatchBookmarks: true };
    for await (const event of client.watch(configMaps, options)) {
      if (event.type !== "BOOKMARK") seen.push([event.type, event.object.data?.large === large]);
    }
    assert.deepEqual(seen, [
      ["ADDED", true],
      ["DELETED", true],
    ]);
  });

  test("from a version that is too old are gone", async () => {
    await applyCrds(kube);
    // The API server remembers what happened to a kind since it serves it.
    const watching = client.watch(etcdClusters, { resourceVersion: "1", timeoutSeconds: 5 }).next();
    assert.equal((await errorOf(watching)).code, "gone");
  });
});

test("of two candidates one leads, and the other follows when it leaves", async () => {
  const leading: string[] = [];
  const stand = (identity: string, own: KubeClient) => {
    const abort = new AbortController();
    const lead = async (signal: AbortSignal) => {
      leading.push(identity);
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    };
    const times = { leaseDurationMs: 3_000, renewDeadlineMs: 2_000, renewPeriodMs: 100, acquirePeriodMs: 100 };
    const options = { client: own, namespace, name: "election", identity, lead, times };
    const running = runElected(options, abort.signal);
    return { stop: () => abort.abort(), running };
  };
  const candidates = { a: stand("a", client), b: stand("b", await connect()) };
  await until(() => leading.length > 0, { what: "a leader" });
  const [first] = leading as ("a" | "b")[];
  assert.ok(first);
  const second = first === "a" ? "b" : "a";
  candidates[first].stop();
  await candidates[first].running;
  await until(() => leading.length > 1, { what: "the next leader" });
  assert.deepEqual(leading, [first, second]);
  const { spec } = await client.get(leases, { namespace, name: "election" });
  assert.deepEqual([spec?.holderIdentity, spec?.leaseTransitions], [second, 1]);
  candidates[second].stop();
  await candidates[second].running;
  assert.equal((await client.get(leases, { namespace, name: "election" })).spec?.holderIdentity, undefined);
});

test("Events that repeat are one with a count", async () => {
  const about = await client.create(configMaps, aConfigMap("eventful"));
  const recorder = new EventRecorder({ client, component: "kubernetes-client-test" });
  const event = { type: "Warning", reason: "Tested", message: "it was tested" } as const;
  for (let times = 0; times < 3; times += 1) {
    recorder.record(about, event);
    await recorder.flush();
  }
  const { items } = await client.list(events, { namespace, fieldSelector: "involvedObject.name=eventful" });
  assert.deepEqual(
    items.map(({ type, reason, message, count }) => ({ type, reason, message, count })),
    [{ ...event, count: 3 }],
  );
});
