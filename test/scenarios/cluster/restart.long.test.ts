import assert from "node:assert/strict";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import { describe, test } from "vitest";

const scenario = clusterScenario();

/** Everything stops, the operator and the API server too, and starts again; no member loses its disk. */
async function goThrough(name: string, offAndOn: () => Promise<void>): Promise<void> {
  const clusters = [scenario.cluster("on-claims"), scenario.cluster("in-pods")];
  const before = await Promise.all(clusters.map((cluster) => cluster.memberIds()));
  const witnesses = await Promise.all(clusters.map((cluster) => cluster.witness({ name: `${name}-${cluster.name}` })));
  await Promise.all(witnesses.map((witness) => witness.writesAgain(100)));
  await offAndOn();
  for (const [index, cluster] of clusters.entries()) {
    await cluster.settled(3);
    await witnesses[index]?.writesAgain();
    assert.deepEqual(await cluster.memberIds(), before[index]);
    const witness = witnesses[index];
    if (witness) await cluster.verify(witness);
  }
}

describe("when the whole machine goes down and comes up again, all members return as themselves", {
  timeout: 300_000,
}, () => {
  test("there are two clusters, one on claims and one that keeps its data in its pods", async () => {
    const clusters = [await scenario.create("on-claims", { claims: true }), await scenario.create("in-pods")];
    for (const cluster of clusters) await cluster.settled(3);
  });

  test("after it was shut down", async () => {
    await goThrough("stopped", async () => {
      await scenario.local.stop();
      await scenario.local.start();
    });
  });

  test("after its power was cut", async () => {
    await goThrough("killed", async () => {
      await scenario.local.kill();
      await scenario.local.start();
    });
  });
});
