import assert from "node:assert/strict";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import { staysSo } from "@etcd-operator/testing/scenario/stays-so.ts";
import { describe, test } from "vitest";

const scenario = clusterScenario();

describe("a namespaced and a cluster-wide operator side by side", { timeout: 300_000 }, () => {
  test("manage what is theirs and nothing else", async () => {
    await scenario.local.kubectl("create", "namespace", "elsewhere");
    const wide = await scenario.startOperator({ name: "cluster-wide", isClusterWide: true });
    const here = await scenario.create("here", { size: 1 });
    const hereWide = await scenario.create("here-wide", { size: 1, isClusterWide: true });
    const thereWide = await scenario.create("there-wide", { size: 3, isClusterWide: true, namespace: "elsewhere" });
    const nobodys = await scenario.create("nobodys", { size: 1, namespace: "elsewhere" });
    const witnesses = await Promise.all([here, hereWide, thereWide].map((cluster) => cluster.witness()));
    await here.settled(1);
    await hereWide.settled(1);
    await thereWide.settled(3);
    assert.equal((await nobodys.get()).status, undefined);
    assert.deepEqual(await nobodys.pods(), []);

    await wide.stop();
    for (const cluster of [here, hereWide, thereWide]) await cluster.changeSpec({ size: 2 });
    await here.settled(2);
    await staysSo(
      async () => {
        assert.equal((await hereWide.get()).status?.observedGeneration, 1);
        assert.equal((await thereWide.pods()).length, 3);
      },
      { forMs: 5_000 },
    );
    await scenario.startOperator({ name: "cluster-wide", isClusterWide: true });
    await hereWide.settled(2);
    await thereWide.settled(2);
    for (const [index, cluster] of [here, hereWide, thereWide].entries()) {
      const witness = witnesses[index];
      if (witness) await cluster.verify(witness);
    }
    assert.deepEqual(await nobodys.pods(), []);
  });
});
