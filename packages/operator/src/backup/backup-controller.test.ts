import assert from "node:assert/strict";
import type { Turns } from "@etcd-operator/controller-runtime";
import { connectEtcd } from "@etcd-operator/etcd-client";
import { conditionOf, hasCode, KubeClient, resources } from "@etcd-operator/kubernetes-client";
import { connectionFromKubeconfig } from "@etcd-operator/kubernetes-client/connect/kubeconfig.ts";
import { ObjectStoreError } from "@etcd-operator/object-store";
import { controllerAtWork } from "@etcd-operator/testing/controller/controller-at-work.ts";
import { writeKeys } from "@etcd-operator/testing/etcd/snapshot-bytes.ts";
import { type LocalApiServer, startLocalApiServer } from "@etcd-operator/testing/local/api-server.ts";
import { MemoryStore } from "@etcd-operator/testing/objectstore/memory-store.ts";
import { ANY_TRUST } from "@etcd-operator/testing/transfer/any-trust.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { afterAll, beforeAll, beforeEach, describe, test } from "vitest";
import { customResourceDefinition } from "../api/crd/custom-resource-definition.ts";
import type { EtcdBackup } from "../api/etcd-backup.ts";
import { API_VERSION, GROUP } from "../api/group.ts";
import { kinds } from "../api/kinds.ts";
import { streamTurns } from "../context/stream-turns.ts";
import { ownResources } from "../objects/own-resources.ts";
import { backupController } from "./backup-controller.ts";
import { FINALIZER } from "./finalizer.ts";
import { parsePeriodicKey } from "./run/periodic-keys.ts";

const { etcdBackups } = ownResources;
let server: LocalApiServer;
let client: KubeClient;
/** The store of the API server is an etcd as good as any other. */
let etcdAddress: string;
let namespace: string;
let store: MemoryStore;
let count = 0;

beforeAll(async () => {
  server = await startLocalApiServer();
  client = new KubeClient(await connectionFromKubeconfig(server.kubeconfig));
  etcdAddress = new URL(server.etcd.clientUrl).host;
  for (const kind of [kinds.EtcdBackup, kinds.EtcdCluster]) {
    await client.create(resources.customResourceDefinitions, customResourceDefinition(kind));
  }
  const isServed = () => Promise.all([client.list(etcdBackups), client.list(ownResources.etcdClusters)]);
  await until(isServed, { what: "our kinds to be served" });
  const etcd = connectEtcd({ address: etcdAddress });
  await writeKeys(etcd, 100);
  etcd.close();
});
afterAll(async () => {
  await client?.close();
  await server?.stop();
});
beforeEach(async () => {
  count += 1;
  [namespace, store] = [`test-${count}`, new MemoryStore()];
  await client.create(resources.namespaces, { metadata: { name: namespace } });
});

/** A controller at work on a real API server and a real etcd; its store is in memory. */
async function atWork({ isLeading, streams }: { isLeading?: () => boolean; streams?: Turns } = {}) {
  const factory = backupController({
    image: "etcd-operator:test",
    trust: ANY_TRUST,
    streams,
    openStore: async ({ spec }) => {
      const [bucket, ...rest] = (spec.s3?.path ?? "").split("/");
      if (bucket === "missing") {
        throw new ObjectStoreError("no-such-bucket", { operation: "open", message: "there is no bucket: create it" });
      }
      return { store, key: rest.join("/"), pathOf: (key) => `${bucket}/${key}`, close: async () => undefined };
    },
    connect: (endpoint, options) => connectEtcd({ ...endpoint, address: etcdAddress }, options),
  });
  return controllerAtWork(factory, { client, namespace, isLeading });
}

async function create(name: string, { annotations = {}, ...spec }: Record<string, unknown> = {}) {
  const metadata = { namespace, name, annotations: annotations as Record<string, string> };
  const usual = { etcdEndpoints: ["http://etcd:2379"], storageType: "S3", s3: { path: `bucket/${name}` } };
  return client.create(etcdBackups, { metadata, spec: { ...usual, ...spec } } as unknown as EtcdBackup);
}

const get = (name: string) => client.get(etcdBackups, { namespace, name });
const statusOf = async (name: string) => (await get(name)).status ?? {};
const succeeded = (name: string) =>
  until(async () => ((await statusOf(name)).succeeded ? statusOf(name) : undefined), { what: `${name} to succeed` });
const isGone = (name: string) =>
  until(
    () =>
      get(name).then(
        () => false,
        (error) => hasCode(error, "not-found"),
      ),
    { what: `${name} to be gone` },
  );
const edit = (name: string, spec: object) => client.patch(etcdBackups, { namespace, name }, { merge: { spec } });

/** A store that takes the first bytes of an object and then waits until the upload is cancelled. */
function hangingStore(): { readonly isHanging: () => boolean; readonly isCalledOff: () => boolean } {
  let [isHanging, isCalledOff] = [false, false];
  store.put = async (_, source, options = {}) => {
    for await (const _chunk of source) break;
    isHanging = true;
    return new Promise((__, reject) =>
      options.signal?.addEventListener("abort", () => {
        isCalledOff = true;
        reject(new Error("aborted"));
      }),
    );
  };
  return { isHanging: () => isHanging, isCalledOff: () => isCalledOff };
}

describe("the controller", () => {
  test("takes a backup once, says so, and does not take it again", async () => {
    await using work = await atWork();
    const { metadata } = await create("once");
    const status = await succeeded("once");
    assert.deepEqual([...store.objects.keys()], ["once", "once.metadata.json"]);
    const { path, revision, sizeBytes } = status.lastBackup ?? {};
    assert.deepEqual(
      [path, revision, sizeBytes],
      ["bucket/once", status.etcdRevision, store.objects.get("once")?.length],
    );
    assert.deepEqual([status.etcdVersion, status.observedGeneration, status.nextRun], ["3.5.16", 1, undefined]);
    assert.equal((await get("once")).metadata.finalizers, undefined);
    const reasons = async () => {
      const { items } = await client.list(resources.events, { namespace });
      return items.filter(({ involvedObject }) => involvedObject.uid === metadata.uid).map(({ reason }) => reason);
    };
    await until(async () => (await reasons()).includes("BackupSucceeded"), { what: "an Event" });
    const labels = `name="once",namespace="${namespace}"`;
    const page = await work.page();
    for (const figure of ["backups_attempt_total", "backups_success_total"]) {
      assert.ok(page.includes(`etcd_operator_${figure}{${labels}} 1`), figure);
    }
    await client.patch(etcdBackups, { namespace, name: "once" }, { merge: { metadata: { labels: { a: "b" } } } });
    await until(() => work.lines.filter(({ reason }) => reason === "Finished").length > 0, { what: "a pass" });
    assert.equal(store.calls.filter((call) => call === "put once").length, 1);
  });

  test("takes periodic backups, the first at once, and keeps as many as the spec asks for", async () => {
    await using _ = await atWork();
    await create("often", { backupPolicy: { backupIntervalInSecond: 1, maxBackups: 2 } });
    await until(() => store.calls.filter((call) => /^delete often_v[^.]*$/.test(call)).length >= 2, {
      what: "two to go",
    });
    const { metadata, status } = await get("often");
    assert.deepEqual(metadata.finalizers, [FINALIZER]);
    assert.ok(status?.nextRun && status.lastRun && status.nextRun > status.lastRun);
    await client.delete(etcdBackups, { namespace, name: "often" });
    await isGone("often");
    const kept = [...store.objects.keys()].flatMap((key) => parsePeriodicKey("often", key) ?? []);
    assert.ok(kept.length >= 2 && kept.length <= 3, `${kept.length} are kept`);
  });

  test("backs an EtcdCluster up by the name of it", async () => {
    await client.create(resources.serviceAccounts, { metadata: { namespace, name: "default" } });
    const cluster = await client.create(ownResources.etcdClusters, {
      metadata: { namespace, name: "db" },
      spec: { size: 1 },
    } as never);
    const owner = { apiVersion: API_VERSION, kind: "EtcdCluster", name: "db", uid: cluster.metadata.uid };
    const labels = { app: "etcd", etcd_cluster: "db" };
    const pod = await client.create(resources.pods, {
      metadata: { namespace, name: "db-1", labels, ownerReferences: [owner] },
      spec: { containers: [{ name: "etcd", image: "etcd" }] },
    });
    await using _ = await atWork();
    await create("of-cluster", { etcdEndpoints: undefined, etcdCluster: { name: "db" } });
    await until(async () => (await statusOf("of-cluster")).lastError, { what: "a failure" });
    assert.match((await statusOf("of-cluster")).lastError ?? "", /EtcdCluster 'test-\d+\/db' has no running member/);
    const running = { ...pod, status: { phase: "Running", podIP: "10.0.0.1" } };
    await client.updateStatus(resources.pods, running);
    await edit("of-cluster", { backupPolicy: { timeoutInSecond: 60 } });
    assert.equal((await succeeded("of-cluster")).lastBackup?.path, "bucket/of-cluster");
  });

  test("is not kept from one object by what is wrong with another", async () => {
    await using _ = await atWork();
    await create("no-schedule", { backupPolicy: { schedule: "61 * * * *" } });
    await create("no-bucket", { s3: { path: "missing/key" } });
    await create("no-cluster", { etcdEndpoints: undefined, etcdCluster: { name: "missing" } });
    await create("good");
    await succeeded("good");
    const reasonOf = async (name: string) => {
      const status = await until(
        async () => ((await statusOf(name)).succeeded === false ? statusOf(name) : undefined),
        {
          what: `${name} to fail`,
        },
      );
      return [conditionOf(status.conditions, "Succeeded")?.reason, status.Reason ?? ""] as const;
    };
    assert.deepEqual((await reasonOf("no-schedule"))[0], "InvalidSpec");
    assert.deepEqual(await reasonOf("no-bucket"), ["NeedsAttention", "open: there is no bucket: create it"]);
    assert.match((await reasonOf("no-cluster"))[1], /EtcdCluster 'test-\d+\/missing' does not exist/);
  });

  test("is not kept from one object by others whose stores say nothing", async () => {
    const stat = store.stat.bind(store);
    store.stat = async (key: string) => (key.startsWith("silent") ? new Promise(() => undefined) : stat(key));
    await using _ = await atWork();
    for (const name of ["silent-1", "silent-2", "silent-3"]) await create(name, { s3: { path: `bucket/${name}` } });
    await create("good");
    await succeeded("good");
  });

  test("takes up an edit of what failed at once", async () => {
    await using _ = await atWork();
    await create("moved", { s3: { path: "missing/key" } });
    await until(async () => (await statusOf("moved")).succeeded === false, { what: "it to fail" });
    await edit("moved", { s3: { path: "bucket/key" } });
    const status = await succeeded("moved");
    assert.deepEqual([status.lastBackup?.path, status.Reason, status.lastError], ["bucket/key", undefined, undefined]);
  });

  test("leaves alone what is not in its scope", async () => {
    await using _ = await atWork();
    await create("theirs", { annotations: { other: "operator" } });
    await create("ours");
    await succeeded("ours");
    assert.deepEqual(await statusOf("theirs"), {});
    assert.deepEqual([...store.objects.keys()], ["ours", "ours.metadata.json"]);
  });

  test("writes nothing once its Lease may be another's", async () => {
    await using work = await atWork({ isLeading: () => false });
    await create("example", { backupPolicy: { backupIntervalInSecond: 60 } });
    await until(() => work.lines.some(({ reason }) => reason === "not-leading"), { what: "a pass that gave up" });
    const { metadata, status } = await get("example");
    assert.deepEqual([metadata.finalizers, status, store.calls], [undefined, undefined, []]);
  });

  test("ends its figures with the object", async () => {
    await using work = await atWork();
    await create("short");
    await succeeded("short");
    await client.delete(etcdBackups, { namespace, name: "short" });
    await until(async () => !(await work.page()).includes('name="short"'), { what: "the figures to end" });
  });
});

describe("a run that is under way", () => {
  test("is shown, and cancelled when its object is deleted", async () => {
    const { isCalledOff } = hangingStore();
    await using _ = await atWork();
    await create("slow", { backupPolicy: { backupIntervalInSecond: 3600 } });
    const streaming = async () => (await statusOf("slow")).progress?.step === "Streaming the snapshot";
    await until(streaming, { what: "the stream to begin" });
    await client.delete(etcdBackups, { namespace, name: "slow" });
    await isGone("slow");
    assert.equal(isCalledOff(), true);
  });

  test("without a finalizer is cancelled, too", async () => {
    const { isHanging, isCalledOff } = hangingStore();
    await using _ = await atWork();
    await create("slow");
    await until(isHanging, { what: "the run to begin" });
    await client.delete(etcdBackups, { namespace, name: "slow" });
    await until(isCalledOff, { what: "the run to be called off" });
  });

  test("is cancelled when the operator stops, and started again by the next one", async () => {
    const { put } = store;
    const { isHanging, isCalledOff } = hangingStore();
    {
      await using _ = await atWork();
      await create("slow");
      await until(async () => isHanging() && (await statusOf("slow")).progress, { what: "the run to begin" });
    }
    assert.equal(isCalledOff(), true);
    store.put = put;
    await using _ = await atWork();
    const { attempts, lastError } = await succeeded("slow");
    assert.deepEqual([attempts, lastError], [undefined, undefined]);
  });

  test("is aborted when it takes too long", async () => {
    hangingStore();
    await using _ = await atWork();
    await create("slow", { backupPolicy: { timeoutInSecond: 1 } });
    const {
      lastError,
      attempts,
      succeeded: verdict,
    } = await until(async () => ((await statusOf("slow")).lastError ? statusOf("slow") : undefined), {
      what: "the limit to pass",
    });
    assert.match(lastError ?? "", /took longer than 1 s/);
    assert.deepEqual([attempts, verdict], [1, undefined]);
  });
});

/** A store that keeps every upload waiting until the test releases it, and counts how many there were at once. */
function waitingStore() {
  const put = store.put.bind(store);
  const waiting: (() => void)[] = [];
  let most = 0;
  store.put = async (key, source, options) => {
    if (key.endsWith(".metadata.json")) return put(key, source, options);
    const isLetGo = new Promise<void>((resolve) => waiting.push(resolve));
    most = Math.max(most, waiting.length);
    await isLetGo;
    return put(key, source, options);
  };
  return { most: () => most, waiting: () => waiting.length, letGo: () => waiting.shift()?.() };
}

describe("memory has a bound, however many backups are due at once:", () => {
  const names = Array.from({ length: 12 }, (_, index) => `many-${index}`);
  const { signal } = new AbortController();

  test("two stream, and the others wait for their turn", async () => {
    const { most, waiting, letGo } = waitingStore();
    await using _ = await atWork();
    for (const name of names) await create(name);
    await until(() => waiting() === 2, { what: "two to stream" });
    const steps = async () => (await Promise.all(names.map(statusOf))).map(({ progress }) => progress?.step);
    const WAITING = "Waiting for a transfer slot: none is free (2 in all)";
    const isWaiting = (step: string | undefined) => step === WAITING;
    await until(async () => (await steps()).filter(isWaiting).length === names.length - 2, {
      what: "all others to wait",
    });
    const all = Promise.all(names.map(succeeded));
    await until(async () => (await steps()).every((step) => step === undefined || letGo()), { what: "all to be done" });
    await all;
    assert.equal(most(), 2);
  });

  test("what a restore of the same process streams counts among them", async () => {
    const { most, waiting, letGo } = waitingStore();
    const streams = streamTurns();
    const ofRestore = await streams.take(signal);
    await using _ = await atWork({ streams });
    for (const name of names.slice(0, 3)) await create(name);
    await until(() => waiting() === 1, { what: "one to stream" });
    const isTold = async () => (await statusOf("many-1")).progress !== undefined;
    await until(isTold, { what: "another to wait" });
    assert.deepEqual([most(), streams.isFull], [1, true]);
    ofRestore();
    await until(() => waiting() === 2, { what: "another to stream" });
    const all = Promise.all(names.slice(0, 3).map(succeeded));
    await until(async () => letGo() ?? store.objects.size === 6, { what: "all to be done" });
    await all;
    assert.equal(most(), 2);
  });
});

test("its Lease and its needs are known before it is made", () => {
  const { name, needs } = backupController({ image: "" });
  const kindsNeeded = needs.map(({ group, plural }) => `${plural}.${group}`);
  assert.deepEqual([name, kindsNeeded], ["backups", [`etcdbackups.${GROUP}`]]);
});
