import assert from "node:assert/strict";
import { resources } from "@etcd-operator/kubernetes-client";
import { ApiUnderTest, objectId, whyPostponed } from "@etcd-operator/testing/cluster/act-under-test.ts";
import { afterAll, beforeAll, test } from "vitest";
import { VOTER_CONDITION } from "../objects/annotations.ts";

const { pods } = resources;
let api: ApiUnderTest;

beforeAll(async () => {
  api = await ApiUnderTest.start();
});
afterAll(() => api?.stop());

test("gates open and close beside the kubelet's conditions, however often the kubelet writes meanwhile", async () => {
  const at = await api.aCluster();
  const conditions = [{ type: "Ready", status: "False" }];
  const [a, b] = [await at.aPod("a", { status: { conditions } }), await at.aPod("b")];
  await api.client.patchStatus(pods, a.metadata, { merge: { status: { message: "newer" } } });
  const gates = [
    { pod: objectId(a), isOpen: true },
    { pod: objectId(b), isOpen: false },
  ];
  const seen = await at.observe();
  assert.deepEqual(await at.act(seen, { kind: "set-gates", gates }), { kind: "done" });
  const after = await at.observe();
  assert.deepEqual(
    after.pods.map(({ gate }) => gate),
    ["open", "closed"],
  );
  const { status } = await at.there(pods, "a");
  assert.deepEqual(status?.conditions?.map(({ type }) => type).sort(), ["Ready", VOTER_CONDITION]);
  const gate = status?.conditions?.find(({ type }) => type === VOTER_CONDITION);
  assert.deepEqual([gate?.lastTransitionTime, gate?.reason], ["2030-01-01T00:00:00Z", "Voter"]);
  assert.equal(status?.message, "newer");
});

test("the gate of a pod that was recreated under the same name stays shut", async () => {
  const at = await api.aCluster();
  const pod = objectId(await at.aPod("a"));
  await at.takeAway(pods, "a");
  await at.aPod("a");
  const outcome = await at.act(await at.observe(), { kind: "set-gates", gates: [{ pod, isOpen: true }] });
  assert.match(whyPostponed(outcome), /Pod a has changed/);
  assert.equal((await at.observe()).pods[0]?.gate, "closed");
});

test("a pod is not closed to clients for what was answered at an address that it no longer has", async () => {
  const at = await api.aCluster();
  const pod = await at.aPod("a");
  const seen = await at.observe();
  await api.client.patchStatus(pods, pod.metadata, { merge: { status: { podIP: "10.1.2.3" } } });
  const outcome = await at.act(seen, { kind: "set-gates", gates: [{ pod: objectId(pod), isOpen: false }] });
  assert.match(whyPostponed(outcome), /Pod a has another address/);
});
