import assert from "node:assert/strict";
import { resources } from "@etcd-operator/kubernetes-client";
import {
  ApiUnderTest,
  type ClusterUnderTest,
  objectId,
  whyPostponed,
} from "@etcd-operator/testing/cluster/act-under-test.ts";
import { EtcdUnderTest } from "@etcd-operator/testing/cluster/etcd-under-test.ts";
import { afterAll, beforeAll, test } from "vitest";

const { pods } = resources;
let api: ApiUnderTest;
let etcd: EtcdUnderTest;

beforeAll(async () => {
  api = await ApiUnderTest.start();
  etcd = await EtcdUnderTest.start("3.5.16", "a");
});
afterAll(async () => {
  await etcd?.stop();
  await api?.stop();
});

/** The member "a" at home, and the pod of "c", from which "a" answers, too. */
async function twoOfOne() {
  const at = await api.aCluster({}, { clusterID: await etcd.clusterId(), incarnation: 1 });
  const asMember = await etcd.idOf("a");
  const home = await at.aPod("a", { memberId: asMember, status: { podIP: "10.0.0.1" } });
  const duplicate = await at.aPod("c", { memberId: "c0c0", status: { podIP: "10.0.0.2" } });
  for (const name of ["a", "c"]) at.etcd.set(name, clientOf("a"));
  const step = { kind: "stop-duplicate", pod: objectId(duplicate), twin: objectId(home), asMember } as const;
  return { at, step, seen: await at.observe() };
}

function clientOf(name: string) {
  const client = etcd.clients.get(name);
  assert.ok(client);
  return client;
}

async function isThere(at: ClusterUnderTest, name: string): Promise<boolean> {
  const pod = await at.get(pods, name);
  return pod !== undefined && pod.metadata.deletionTimestamp === undefined;
}

test("the pod of a duplicate is deleted, and the true member's stays", async () => {
  const { at, step, seen } = await twoOfOne();
  assert.deepEqual(await at.act(seen, step), { kind: "done" });
  assert.deepEqual([await isThere(at, "c"), await isThere(at, "a")], [false, true]);
});

const changes: readonly [string, (at: ClusterUnderTest) => Promise<unknown>, RegExp][] = [
  [
    "its address has become another's",
    (at) => setStatus(at, "c", { podIP: "10.0.0.9" }),
    /Pod c has changed since it was read/,
  ],
  ["the true member's pod is gone", (at) => at.takeAway(pods, "a"), /Pod a has changed since it was read/],
  [
    "both have one address, so that it is unknown which one responded",
    (at) => setStatus(at, "a", { podIP: "10.0.0.2" }),
    /Pod a has changed since it was read/,
  ],
];
for (const [what, change, why] of changes) {
  test(`it stays when ${what}`, async () => {
    const { at, step, seen } = await twoOfOne();
    await change(at);
    assert.match(whyPostponed(await at.act(seen, step)), why);
    assert.ok(await isThere(at, "c"));
  });
}

test("it stays when it answers as another by now", async () => {
  const { at, step, seen } = await twoOfOne();
  assert.match(whyPostponed(await at.act(seen, { ...step, asMember: "b0b0" })), /responds as another member now/);
  assert.ok(await isThere(at, "c"));
});

async function setStatus(at: ClusterUnderTest, name: string, status: object): Promise<void> {
  await at.client.patchStatus(pods, { namespace: at.namespace, name }, { merge: { status } });
}
