import assert from "node:assert/strict";
import { resources } from "@etcd-operator/kubernetes-client";
import { ApiUnderTest } from "@etcd-operator/testing/cluster/act-under-test.ts";
import { afterAll, beforeAll, describe, test } from "vitest";
import type { Step } from "./model/action.ts";
import { clientService } from "./objects/service.ts";

let api: ApiUnderTest;

beforeAll(async () => {
  api = await ApiUnderTest.start();
});
afterAll(() => api?.stop());

describe("an actor", () => {
  const statusOnly: Step[] = [
    { kind: "none" },
    { kind: "hold" },
    { kind: "declare-join", name: "a" },
    { kind: "forget-intents", names: ["a"] },
    { kind: "record-cluster", clusterId: "c1", incarnation: 1 },
  ];
  test.each(statusOnly)("has nothing to do for $kind but what the status says afterwards", async (step) => {
    const at = await api.aCluster();
    const before = await at.cluster();
    assert.deepEqual(await at.act(await at.observe(), step), { kind: "done" });
    assert.deepEqual(await at.cluster(), before);
  });

  test("writes nothing once it does not lead any more", async () => {
    const at = await api.aCluster();
    const seen = await at.observe();
    at.isLeading = false;
    const services = [{ wanted: clientService(seen.cluster) }];
    await assert.rejects(at.act(seen, { kind: "write-objects", services }), {
      code: "not-leading",
      message: /creating Service example-client was not done/,
    });
    assert.equal(await at.get(resources.services, "example-client"), undefined);
  });

  test("asks nothing of etcd before the id of its cluster is recorded", async () => {
    const at = await api.aCluster({}, { memberIntents: [{ name: "a", incarnation: 1, purpose: "Join" }] });
    const add = at.act(await at.observe(), { kind: "add-member", name: "a", asLearner: true, version: "3.5.16" });
    await assert.rejects(add, { code: "invalid", message: /not recorded yet/ });
  });
});
