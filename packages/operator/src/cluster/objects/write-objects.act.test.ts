import assert from "node:assert/strict";
import { resources } from "@etcd-operator/kubernetes-client";
import { ApiUnderTest, whyPostponed } from "@etcd-operator/testing/cluster/act-under-test.ts";
import { afterAll, beforeAll, test } from "vitest";
import { ownResources } from "../../objects/own-resources.ts";
import { mergePatch } from "./merge-patch.ts";
import { podDisruptionBudget } from "./pod-disruption-budget.ts";
import { clientService, peerService } from "./service.ts";

const { services, podDisruptionBudgets } = resources;
let api: ApiUnderTest;

beforeAll(async () => {
  api = await ApiUnderTest.start();
});
afterAll(() => api?.stop());

test("what is missing is made, and belongs to the cluster", async () => {
  const at = await api.aCluster();
  const seen = await at.observe();
  const wanted = [peerService(seen.cluster), clientService(seen.cluster)];
  const disruptionBudget = { wanted: podDisruptionBudget(seen.cluster, 3) };
  const toWrite = wanted.map((service) => ({ wanted: service }));
  assert.deepEqual(await at.act(seen, { kind: "write-objects", services: toWrite, disruptionBudget }), {
    kind: "done",
  });
  assert.equal((await at.there(services, "example")).spec?.clusterIP, "None");
  assert.equal((await at.there(podDisruptionBudgets, "example")).spec?.minAvailable, 2);
  const client = await at.there(services, "example-client");
  assert.equal(client.metadata.ownerReferences?.[0]?.uid, seen.cluster.metadata.uid);
});

test("nothing is made for a cluster that is gone, however long a cache shows it (percona-xtradb PR#986)", async () => {
  const at = await api.aCluster();
  const seen = await at.observe();
  await at.takeAway(ownResources.etcdClusters, "example");
  const outcome = await at.act(seen, { kind: "write-objects", services: [{ wanted: peerService(seen.cluster) }] });
  assert.match(whyPostponed(outcome), /EtcdCluster example does not exist any more/);
  assert.equal(await at.get(services, "example"), undefined);
});

test("an object of another owner under our name is left alone, and named", async () => {
  const at = await api.aCluster();
  const theirs = { metadata: { namespace: at.namespace, name: "example" }, spec: { ports: [{ port: 80 }] } };
  await api.client.create(services, theirs);
  const seen = await at.observe();
  const outcome = await at.act(seen, { kind: "write-objects", services: [{ wanted: peerService(seen.cluster) }] });
  assert.match(whyPostponed(outcome), /Service example already exists/);
  assert.deepEqual(
    (await at.there(services, "example")).spec?.ports?.map(({ port }) => port),
    [80],
  );
});

test("changes of another client are reverted, and its additions are kept", async () => {
  const at = await api.aCluster();
  const seen = await at.observe();
  const wanted = clientService(seen.cluster);
  const made = await api.client.create(services, wanted);
  const changes = {
    metadata: { labels: { app: "other", theirs: "1" }, annotations: { note: "theirs" } },
    spec: { selector: { app: "other", extra: "1" }, sessionAffinity: "ClientIP" },
  };
  const present = await api.client.patch(services, made.metadata, { merge: changes });
  assert.deepEqual(await at.act(seen, { kind: "write-objects", services: [{ wanted, present }] }), { kind: "done" });
  const { metadata, spec } = await at.there(services, "example-client");
  assert.deepEqual(spec?.selector, wanted.spec?.selector);
  assert.deepEqual(metadata.labels, { ...wanted.metadata?.labels, theirs: "1" });
  assert.equal(metadata.annotations?.note, "theirs");
  assert.equal(spec?.sessionAffinity, "ClientIP");
  assert.equal(spec?.clusterIP, made.spec?.clusterIP);
});

test.each<[string, object]>([
  ["publishNotReadyAddresses", { publishNotReadyAddresses: true }],
  ["selector", { selector: { app: "other", extra: "1" } }],
  ["ports", { ports: [{ name: "other", port: 80, targetPort: 80 }] }],
  ["targetPort", { ports: [{ name: "client", port: 2379, targetPort: 1 }] }],
  ["protocol", { ports: [{ name: "client", port: 2379, targetPort: 2379, protocol: "UDP" }] }],
  ["type and externalName", { type: "ExternalName", externalName: "elsewhere.example.com" }],
])(
  "one patch reverts what another client wrote into %s of the client Service: then nothing differs any more",
  async (_, spec) => {
    const at = await api.aCluster();
    const seen = await at.observe();
    const wanted = clientService(seen.cluster);
    const made = await api.client.create(services, wanted);
    const present = await api.client.patch(services, made.metadata, { merge: { spec } });
    assert.notEqual(mergePatch(wanted, present), undefined);
    assert.deepEqual(await at.act(seen, { kind: "write-objects", services: [{ wanted, present }] }), { kind: "done" });
    assert.equal(mergePatch(wanted, await at.there(services, "example-client")), undefined);
  },
);

test("a budget has one limit, ours, and no selector but ours", async () => {
  const at = await api.aCluster();
  const seen = await at.observe();
  const wanted = podDisruptionBudget(seen.cluster, 5);
  const matchLabels = { ...wanted.spec?.selector?.matchLabels, extra: "1" };
  const spec = { maxUnavailable: 1, selector: { matchLabels } };
  const present = await api.client.create(podDisruptionBudgets, { ...wanted, spec });
  const action = { kind: "write-objects", services: [], disruptionBudget: { wanted, present } } as const;
  assert.deepEqual(await at.act(seen, action), { kind: "done" });
  const { spec: now } = await at.there(podDisruptionBudgets, "example");
  assert.deepEqual([now?.minAvailable, now?.maxUnavailable], [3, undefined]);
  assert.deepEqual(now?.selector, wanted.spec?.selector);
});

test("what changed since it was seen, or was recreated, is not patched", async () => {
  const at = await api.aCluster();
  const seen = await at.observe();
  const wanted = clientService(seen.cluster);
  const present = await api.client.create(services, wanted);
  await api.client.patch(services, present.metadata, { merge: { metadata: { labels: { app: "newer" } } } });
  const action = { kind: "write-objects", services: [{ wanted, present }] } as const;
  assert.match(whyPostponed(await at.act(seen, action)), /Service example-client has changed/);
  await api.client.delete(services, present.metadata);
  assert.match(whyPostponed(await at.act(seen, action)), /Service example-client does not exist any more/);
  await api.client.create(services, { ...wanted, metadata: { ...wanted.metadata, labels: { app: "another" } } });
  assert.match(whyPostponed(await at.act(seen, action)), /Service example-client has changed/);
  assert.deepEqual((await at.there(services, "example-client")).metadata.labels, { app: "another" });
});
