import assert from "node:assert/strict";
import { resources } from "@etcd-operator/kubernetes-client";
import { aManifest } from "@etcd-operator/testing/scenario/cluster/a-manifest.ts";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import { describe, test } from "vitest";

const scenario = clusterScenario();

describe("invalid input", { timeout: 120_000 }, () => {
  test.each([
    ["a size of 0", { size: 0 }, /spec\.size/],
    ["a size of 8", { size: 8 }, /spec\.size/],
    ["a version that corrupts data", { size: 1, version: "3.5.1" }, /3\.5\.3 or newer/],
    ["a version that does not exist", { size: 1, version: "latest" }, /not a release of etcd/],
  ])("%s is refused by kubectl create, with the reason", async (_, spec, reason) => {
    const manifest = JSON.stringify({ ...aManifest("invalid"), spec });
    const { code, stderr } = await scenario.local.tryKubectl(["create", "-f", "-"], manifest);
    assert.notEqual(code, 0);
    assert.match(stderr, reason);
  });

  test("that was stored before its rule existed is reported, and the members that run are left alone", async () => {
    const cluster = await scenario.create("grown-invalid", { size: 1 });
    await cluster.settled(1);
    const before = await cluster.podUids();
    const crd = { name: "etcdclusters.etcd.database.coreos.com" };
    const { spec } = await scenario.client.get(resources.customResourceDefinitions, crd);
    const path = "/spec/versions/0/schema/openAPIV3Schema";
    const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
    const setSchema = (value: unknown) =>
      scenario.client.patch(resources.customResourceDefinitions, crd, { json: [{ op: "replace", path, value }] });
    await setSchema(anything);
    try {
      await cluster.changeSpec({ size: 9 });
      const told = await cluster.becomes("to be called invalid", ({ status }) => {
        return JSON.stringify(status ?? {}).includes("spec.size");
      });
      assert.ok(told.status?.conditions?.some(({ message }) => /spec\.size/.test(message ?? "")));
      assert.deepEqual(await cluster.podUids(), before);
      await cluster.changeSpec({ size: 1 });
    } finally {
      await setSchema(spec?.versions[0]?.schema?.openAPIV3Schema);
    }
    await cluster.settled(1);
    await cluster.delete();
    await cluster.isGone();
  });
});
