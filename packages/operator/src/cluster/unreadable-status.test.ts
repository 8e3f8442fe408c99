import assert from "node:assert/strict";
import { KubeClient, resources } from "@etcd-operator/kubernetes-client";
import { connectionFromKubeconfig } from "@etcd-operator/kubernetes-client/connect/kubeconfig.ts";
import { controllerAtWork } from "@etcd-operator/testing/controller/controller-at-work.ts";
import { type LocalApiServer, startLocalApiServer } from "@etcd-operator/testing/local/api-server.ts";
import { until } from "@etcd-operator/testing/until.ts";
import type { CustomResourceDefinition } from "kubernetes-types/apiextensions/v1.d.ts";
import { afterAll, beforeAll, beforeEach, describe, test } from "vitest";
import { customResourceDefinition } from "../api/crd/custom-resource-definition.ts";
import type { EtcdCluster } from "../api/etcd-cluster.ts";
import { kinds } from "../api/kinds.ts";
import { ownResources } from "../objects/own-resources.ts";
import { clusterController } from "./controller.ts";

const { etcdClusters } = ownResources;
const { pods, events, customResourceDefinitions } = resources;
type StatusSchema = Record<string, { properties?: StatusSchema; enum?: string[]; type?: string }>;

let server: LocalApiServer;
let client: KubeClient;
let namespace: string;
let count = 0;

beforeAll(async () => {
  server = await startLocalApiServer();
  client = new KubeClient(await connectionFromKubeconfig(server.kubeconfig));
  await client.create(
    customResourceDefinitions,
    crdWith(() => undefined),
  );
  await until(() => client.list(etcdClusters), { what: "EtcdClusters to be served" });
});
afterAll(async () => {
  await client?.close();
  await server?.stop();
});
beforeEach(async () => {
  count += 1;
  namespace = `test-${count}`;
  await client.create(resources.namespaces, { metadata: { name: namespace } });
  await client.create(resources.serviceAccounts, { metadata: { namespace, name: "default" } });
});

function crdWith(change: (status: StatusSchema) => void): CustomResourceDefinition {
  const crd = structuredClone(customResourceDefinition(kinds.EtcdCluster));
  const schema = crd.spec.versions[0]?.schema?.openAPIV3Schema as unknown as { properties: StatusSchema };
  change(schema.properties.status?.properties ?? {});
  return crd;
}

/** Another release's CRD in the place of the one that is there. */
async function replaceCrd(change: (status: StatusSchema) => void): Promise<void> {
  const { metadata, spec } = crdWith(change);
  const stored = await client.get(customResourceDefinitions, { name: metadata?.name ?? "" });
  await client.update(customResourceDefinitions, { ...stored, spec });
}

/** A newer release knows another state of a restore, and a field of its own. */
function ofTheFuture(status: StatusSchema): void {
  status.restore?.properties?.state?.enum?.push("Draining");
  status.future = { type: "string" };
  const entry = (status.memberIntents as unknown as { items: { properties: StatusSchema } }).items.properties;
  entry.future = { type: "string" };
}

function ofThePast(status: StatusSchema): void {
  delete status.memberIntents;
}

function atWork() {
  const factory = clusterController({ chaosLevel: -1, guardImage: "etcd-operator:test" });
  return controllerAtWork(factory, { client, namespace });
}

async function create(status: object): Promise<void> {
  await client.create(etcdClusters, { metadata: { namespace, name: "example" }, spec: { size: 3 } } as EtcdCluster);
  await client.patchStatus(etcdClusters, { namespace, name: "example" }, { merge: { status } });
}

const statusNow = async () =>
  ((await client.get(etcdClusters, { namespace, name: "example" })).status ?? {}) as Record<string, unknown> & {
    conditions?: { type: string; status: string; reason: string; message: string }[];
  };
const podsNow = async () => (await client.list(pods, { namespace })).items;
const warnings = async (reason: string) =>
  (await client.list(events, { namespace })).items.filter((event) => event.reason === reason);

describe("a status with a word that this release cannot read", () => {
  const restore = { name: "r", uid: "u", state: "Draining", incarnation: 2, revision: 7, keepsClaimsBelow: 2 };

  test("holds its cluster, which reports so, and stays as it is until it can be read", async () => {
    await replaceCrd(ofTheFuture);
    await create({ observedGeneration: 1, clusterID: "c1", incarnation: 2, restore, future: "kept" });
    await using _ = await atWork();
    const conditions = await until(async () => (await statusNow()).conditions, { what: "conditions" });
    const told = Object.fromEntries(conditions.map(({ type, status, reason }) => [type, `${status} ${reason}`]));
    assert.deepEqual(told, {
      Available: "Unknown StatusUnreadable",
      QuorumLost: "Unknown StatusUnreadable",
      Degraded: "True StatusUnreadable",
    });
    const status = await statusNow();
    assert.match(
      String(status.reason),
      /^status\.restore\.state of EtcdCluster example is "Draining": .*Upgrade the operator/,
    );
    assert.deepEqual([status.restore, status.future, status.clusterID], [restore, "kept", "c1"]);
    await until(async () => (await warnings("StatusUnreadable")).length > 0, { what: "the Event" });
    assert.deepEqual(await podsNow(), []);

    const merge = { status: { restore: null, clusterID: null, incarnation: null } };
    await client.patchStatus(etcdClusters, { namespace, name: "example" }, { merge });
    await until(async () => (await podsNow()).length > 0, { what: "the cluster to go on" });
  });
});

test("a field of a newer release outlives what this one writes", async () => {
  await replaceCrd(ofTheFuture);
  await create({ observedGeneration: 1, future: "kept" });
  await using _ = await atWork();
  await until(async () => (await podsNow()).length > 0, { what: "the seed" });
  const status = await statusNow();
  assert.equal(status.future, "kept");
  const [intent] = status.memberIntents as { name: string }[];
  assert.ok(intent);
  const merge = { status: { memberIntents: [{ ...intent, future: "kept" }] } };
  await client.patchStatus(etcdClusters, { namespace, name: "example" }, { merge });
  await client.patch(etcdClusters, { namespace, name: "example" }, { merge: { spec: { size: 1, paused: true } } });
  const written = await until(async () => ((await statusNow()).controlPaused ? await statusNow() : undefined), {
    what: "another write of the status",
  });
  assert.deepEqual([written.future, written.memberIntents], ["kept", [{ ...intent, future: "kept" }]]);
});

test("an older CRD that drops a field holds every cluster before anything is made, until it is brought up to date", async () => {
  await replaceCrd(ofThePast);
  await create({ observedGeneration: 1 });
  await using _ = await atWork();
  const [event] = await until(
    async () => (await warnings("CRDOutdated")).length > 0 && (await warnings("CRDOutdated")),
    {
      what: "the Event",
    },
  );
  assert.match(event?.message ?? "", /drops status\.memberIntents.* of EtcdCluster objects.*older than this operator/);
  assert.deepEqual(await podsNow(), [], "an intent that is not on record has no consequence");
  await replaceCrd(() => undefined);
  const poke = async () => {
    const merge = { metadata: { annotations: { poked: String(Math.random()) } } };
    await client.patch(etcdClusters, { namespace, name: "example" }, { merge });
    return (await podsNow()).length > 0;
  };
  await until(poke, { what: "the cluster to go on" });
  assert.equal(((await statusNow()).memberIntents as unknown[]).length, 1);
});
