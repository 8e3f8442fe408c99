import assert from "node:assert/strict";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import { describe, test } from "vitest";

const scenario = clusterScenario();
const NAMES = Array.from({ length: 10 }, (_, index) => `one-of-ten-${index}`);

describe("ten clusters at once", { timeout: 600_000 }, () => {
  test("come up, are resized and lose nothing, and no one waits for a sick one", async () => {
    const clusters = await Promise.all(NAMES.map((name) => scenario.create(name)));
    // Ten of them share two cores with thirty members.
    const witnesses = await Promise.all(clusters.map((cluster) => cluster.witness({ writers: 2, paceMs: 250 })));
    await Promise.all(clusters.map((cluster) => cluster.settled(3, 400_000)));
    assert.equal(new Set(await Promise.all(clusters.map(async (c) => (await c.get()).status?.clusterID))).size, 10);
    const [sick, ...others] = clusters;
    assert.ok(sick);
    for (const { metadata } of (await sick.pods()).slice(0, 2)) await scenario.faults.isolate(metadata.uid);
    await Promise.all(others.map((cluster) => cluster.changeSpec({ size: 1 })));
    await Promise.all(others.map((cluster) => cluster.settled(1, 200_000)));
    await scenario.faults.heal();
    await sick.settled(3);
    for (const [index, cluster] of clusters.entries()) {
      const witness = witnesses[index];
      if (witness) await cluster.verify(witness);
    }
    await Promise.all(clusters.map((cluster) => cluster.delete()));
    await Promise.all(clusters.map((cluster) => cluster.isGone()));
  });
});
