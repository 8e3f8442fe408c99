import assert from "node:assert/strict";
import { resources } from "@etcd-operator/kubernetes-client";
import { ANNOTATIONS } from "@etcd-operator/operator/cluster/objects/annotations.ts";
import { etcdOf, podsCarry } from "@etcd-operator/testing/scenario/cluster/rolled.ts";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import { staysSo } from "@etcd-operator/testing/scenario/stays-so.ts";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { describe, test } from "vitest";

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
    for (const cluster of clusters) await hashAsAnotherRelease(cluster);
    await scenario.startOperator({ guardImage: "example.com/etcd-operator:v2" });
    await staysSo(async () => assert.deepEqual(await look(), before), { forMs: 30_000 });
    for (const [index, cluster] of clusters.entries()) {
      await cluster.changeSpec({ size: 4 });
      await cluster.settled(4);
      const guards = (await cluster.pods()).map(({ spec }) => spec?.initContainers?.[0]?.image?.split(":").at(-1));
      assert.deepEqual(guards.sort(), ["v1", "v1", "v1", "v2"]);
      await cluster.changeSpec({ pod: { resources: { requests: { cpu: "15m" } } } });
      const carries = (pod: Pod) => etcdOf(pod).resources?.requests?.cpu === "15m";
      await podsCarry(cluster, { what: "what is edited later", size: 4, is: carries });
      const witness = witnesses[index];
      if (witness) await cluster.verify(witness);
      await cluster.delete();
    }
  });
});

/** What the pods say they were made from, as a release would write it that makes the hash otherwise. */
async function hashAsAnotherRelease(cluster: ReturnType<typeof scenario.cluster>): Promise<void> {
  for (const { metadata } of await cluster.pods()) {
    const annotations = { [ANNOTATIONS.specHash]: "v0:0123456789abcdef" };
    await scenario.client.patch(resources.pods, metadata, { merge: { metadata: { annotations } } });
  }
}

/** Which pods there are, and how often their containers were started. */
async function lives(cluster: ReturnType<typeof scenario.cluster>): Promise<readonly string[]> {
  const told = (await cluster.pods()).map(({ metadata, status }) => {
    const restarts = status?.containerStatuses?.map(({ restartCount }) => restartCount);
    return `${metadata.uid} ${restarts}`;
  });
  return told.sort();
}
