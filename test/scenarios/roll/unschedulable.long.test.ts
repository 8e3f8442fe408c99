import assert from "node:assert/strict";
import { resources } from "@etcd-operator/kubernetes-client";
import type { EtcdCluster } from "@etcd-operator/operator/api/etcd-cluster.ts";
import { ownResources } from "@etcd-operator/operator/objects/own-resources.ts";
import { aManifest } from "@etcd-operator/testing/scenario/cluster/a-manifest.ts";
import type { ClusterUnderTest } from "@etcd-operator/testing/scenario/cluster/cluster-under-test.ts";
import { etcdOf, podsCarry } from "@etcd-operator/testing/scenario/cluster/rolled.ts";
import { conditionOf } from "@etcd-operator/testing/scenario/cluster/settled.ts";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import { staysSo } from "@etcd-operator/testing/scenario/stays-so.ts";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { describe, test } from "vitest";

const scenario = clusterScenario();
const NOWHERE = { nodeSelector: { "example.com/zone": "nowhere" } };
const TOO_MUCH = { resources: { requests: { cpu: "4000" } } };
const MISTAKES = [
  { what: "a node that there is not", pod: NOWHERE, words: "didn't match Pod's node affinity/selector" },
  { what: "more than any node has", pod: TOO_MUCH, words: "Insufficient cpu" },
];
const kinds = MISTAKES.flatMap((mistake) => [true, false].map((claims) => ({ ...mistake, claims })));
const isPending = ({ status }: Pod) => status?.phase === "Pending";
const isAsBefore = (pod: Pod) =>
  pod.spec?.nodeSelector === undefined && etcdOf(pod).resources?.requests?.cpu !== "4000";
const hasNewResources = (pod: Pod) => etcdOf(pod).resources?.requests?.cpu === "15m" && isAsBefore(pod);

interface Halt {
  /** How many members. */
  readonly serving: number;
  /** What the scheduler says. */
  readonly words: string;
}

/**
 * One pod waits, always the same one, and all others serve on, longer than a member may be gone before it is replaced.
 */
async function halts(cluster: ClusterUnderTest, { serving, words }: Halt): Promise<void> {
  const isTold = (message: string) =>
    /Fix or revert the change\. Affected: .*cannot be scheduled/.test(message) && message.includes(words);
  await cluster.becomes("to say what to do", (seen) => isTold(conditionOf(seen, "Degraded")?.message ?? ""), 60_000);
  const waiting = async () => (await cluster.pods()).filter(isPending).map(({ metadata }) => metadata.uid);
  const first = await waiting();
  assert.equal(first.length, 1);
  await staysSo(
    async () => {
      assert.deepEqual(await waiting(), first);
      assert.equal((await cluster.answers()).length, serving);
    },
    { forMs: 20_000 },
  );
}

describe("an edit of the pods that asks for what there is not stops at one", { timeout: 400_000 }, () => {
  test.each(kinds)(
    "$what: withdrawn, asked for again, and corrected (claims: $claims)",
    async ({ pod, claims, words }) => {
      const name = `${"resources" in pod ? "too-much" : "nowhere"}${claims ? "-claims" : ""}`;
      const cluster = await scenario.create(name, { claims, whenDeleted: "Delete", replaceAfterSeconds: 10 });
      await cluster.settled(3);
      const [ids, own] = [await cluster.memberIds(), (await cluster.get()).spec.pod ?? {}];
      const witness = await cluster.witness();
      await cluster.changeSpec({ pod: { ...own, ...pod } });
      await halts(cluster, { serving: claims ? 2 : 3, words });
      await witness.writesAgain();
      const withdrawn = Object.fromEntries(Object.keys(pod).map((key) => [key, null]));
      await cluster.changeSpec({ pod: withdrawn });
      await podsCarry(cluster, { what: "what they had", size: 3, is: isAsBefore });
      assert.deepEqual(await cluster.memberIds(), ids);
      await cluster.changeSpec({ pod: { ...own, ...pod } });
      await halts(cluster, { serving: claims ? 2 : 3, words });
      await cluster.changeSpec({ pod: { ...withdrawn, resources: { requests: { cpu: "15m" } } } });
      await podsCarry(cluster, { what: "what was corrected", size: 3, is: hasNewResources });
      if (claims) assert.deepEqual(await cluster.memberIds(), ids);
      await cluster.verify(witness);
      await cluster.delete();
      await cluster.isGone();
    },
  );
});

test("a member for which the node is too full is reported in the scheduler's words, and starts when it asks for less", {
  timeout: 400_000,
}, async () => {
  const [node] = (await scenario.client.list(resources.nodes)).items;
  // Three find room, and a fourth does not.
  const cpu = `${Math.floor((1_000 * Number(node?.status?.allocatable?.cpu)) / 3.5)}m`;
  const manifest = aManifest("full-node");
  const spec = { ...manifest.spec, pod: { resources: { requests: { cpu } } } };
  await scenario.client.create(ownResources.etcdClusters, { ...manifest, spec } as unknown as EtcdCluster);
  const cluster = scenario.cluster("full-node");
  await cluster.settled(3);
  const ids = await cluster.memberIds();
  const witness = await cluster.witness();
  const isTold = /-[0-9a-z]{10} \(it cannot be scheduled: .*Insufficient cpu/;
  const saysWhy = () =>
    cluster.becomes("to say why", (seen) => isTold.test(conditionOf(seen, "Degraded")?.message ?? ""), 60_000);
  await cluster.changeSpec({ size: 4 });
  await saysWhy();
  await witness.writesAgain();
  await cluster.changeSpec({ size: 3 });
  await cluster.settled(3);
  assert.deepEqual(await cluster.memberIds(), ids, "those that served are still there");
  await cluster.changeSpec({ size: 4 });
  await saysWhy();
  await witness.writesAgain();
  await cluster.changeSpec({ pod: { resources: { requests: { cpu: "15m" } } } });
  await podsCarry(cluster, { what: "what was corrected", size: 4, is: hasNewResources });
  await cluster.verify(witness);
  await cluster.delete();
  await cluster.isGone();
});
