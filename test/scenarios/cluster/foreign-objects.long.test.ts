import assert from "node:assert/strict";
import { resources } from "@etcd-operator/kubernetes-client";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import { staysSo } from "@etcd-operator/testing/scenario/stays-so.ts";
import { describe, test } from "vitest";

const scenario = clusterScenario();

const foreignService = (name: string) => ({
  metadata: { name, namespace: "default", labels: { "made-by": "another-owner" } },
  spec: { selector: { app: "shop" }, ports: [{ name: "http", port: 80 }] },
});

describe("a foreign Service under a name of ours", { timeout: 120_000 }, () => {
  test("is reported and left as it is, and the cluster comes up when it is gone", async () => {
    const made = await scenario.client.create(resources.services, foreignService("taken-client"));
    const cluster = await scenario.create("taken", { size: 1 });
    const told = await cluster.becomes("to tell of it", ({ status }) => {
      return JSON.stringify(status ?? {}).includes("taken-client");
    });
    assert.ok(told.status?.conditions?.some(({ message }) => message?.includes("taken-client")));
    await staysSo(
      async () => {
        const now = await scenario.client.get(resources.services, made.metadata);
        assert.equal(now.metadata.resourceVersion, made.metadata.resourceVersion);
      },
      { forMs: 3_000 },
    );
    await scenario.client.delete(resources.services, made.metadata);
    await cluster.settled(1);
    await cluster.delete();
    await cluster.isGone();
  });

  test("outlives the cluster that it stood in the way of", async () => {
    const made = await scenario.client.create(resources.services, foreignService("way"));
    const cluster = await scenario.create("way", { size: 1 });
    await cluster.becomes("to tell of it", ({ status }) => (status?.conditions ?? []).length > 0);
    await cluster.delete();
    await cluster.isGone();
    const now = await scenario.client.get(resources.services, made.metadata);
    assert.equal(now.metadata.resourceVersion, made.metadata.resourceVersion);
    await scenario.client.delete(resources.services, made.metadata);
  });
});
