import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { clusterScenario } from "../../support/scenario/cluster-scenario.ts";
import { staysSo } from "../../support/scenario/stays-so.ts";

const scenario = clusterScenario({ operator: false });

describe("another release of the operator", { timeout: 240_000 }, () => {
  test("restarts no member, though it makes other pods; those that come later are its own", async () => {
    const old = await scenario.startOperator({ guardImage: "example.com/etcd-operator:v1" });
    const clusters = [await scenario.create("in-pods"), await scenario.create("on-claims", { claims: true })];
    for (const cluster of clusters) await cluster.settled(3);
    const witnesses = await Promise.all(clusters.map((cluster) => cluster.witness()));
    const look = () => Promise.all(clusters.map(async (cluster) => [await cluster.memberIds(), await lives(cluster)]));
    const before = await look();
    await old.stop();
    await scenario.startOperator({ guardImage: "example.com/etcd-operator:v2" });
    await staysSo(async () => assert.deepEqual(await look(), before), { forMs: 30_000 });
    for (const [index, cluster] of clusters.entries()) {
      await cluster.changeSpec({ size: 4 });
      await cluster.settled(4);
      const guards = (await cluster.pods()).map(({ spec }) => spec?.initContainers?.[0]?.image?.split(":").at(-1));
      assert.deepEqual(guards.sort(), ["v1", "v1", "v1", "v2"]);
      const witness = witnesses[index];
      if (witness) await cluster.verify(witness);
      await cluster.delete();
    }
  });
});

/** Which pods there are, and how often their containers were started. */
async function lives(cluster: ReturnType<typeof scenario.cluster>): Promise<readonly string[]> {
  const told = (await cluster.pods()).map(({ metadata, status }) => {
    const restarts = status?.containerStatuses?.map(({ restartCount }) => restartCount);
    return `${metadata.uid} ${restarts}`;
  });
  return told.sort();
}
