import assert from "node:assert/strict";
import { resources } from "@etcd-operator/kubernetes-client";
import type { ClusterUnderTest } from "@etcd-operator/testing/scenario/cluster/cluster-under-test.ts";
import { fewestReady } from "@etcd-operator/testing/scenario/cluster/fewest-ready.ts";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { describe, test } from "vitest";

const scenario = clusterScenario({ nodes: 4 });

const drain = (node: string) =>
  scenario.local.tryKubectl(["drain", node, "--ignore-daemonsets", "--delete-emptydir-data", "--timeout=180s"]);

async function nodesOf(cluster: ClusterUnderTest): Promise<readonly string[]> {
  return (await cluster.pods()).map(({ spec }) => spec?.nodeName ?? "").sort();
}

describe.each([{ claims: true }, { claims: false }])(
  "a drain under the disruption budget (claims: $claims)",
  ({ claims }) => {
    test("moves members from node after node, and never takes quorum away", { timeout: 600_000 }, async () => {
      const name = claims ? "drained-claims" : "drained";
      const cluster = await scenario.create(name, { claims, isApart: true, whenDeleted: "Delete" });
      await cluster.settled(3);
      const [before, nodes] = [await cluster.memberIds(), await nodesOf(cluster)];
      assert.equal(new Set(nodes).size, 3, "no two members on one node");
      const witness = await cluster.witness();
      await witness.writesAgain(100);
      const seen = fewestReady(cluster);
      for (const node of nodes) {
        const { code, stderr } = await drain(node);
        assert.equal(code, 0, stderr);
        await cluster.settled(3);
        assert.ok(!(await nodesOf(cluster)).includes(node), `a member is still on ${node}`);
        await scenario.local.kubectl("uncordon", node);
      }
      assert.ok((await seen()) >= 2, "the budget kept two of three");
      const after = await cluster.memberIds();
      if (claims) assert.deepEqual(after, before, "members move with their volumes, and are who they were");
      else
        assert.ok(
          Object.keys(before).every((member) => !(member in after)),
          "members without a volume are replaced",
        );
      await witness.writesAgain(100);
      await cluster.verify(witness);
      await cluster.delete();
      await cluster.isGone();
    });

    test("of two nodes at once makes one wait for the other", { timeout: 600_000 }, async () => {
      const name = claims ? "twice-claims" : "twice";
      const cluster = await scenario.create(name, { claims, isApart: true, whenDeleted: "Delete" });
      await cluster.settled(3);
      const witness = await cluster.witness();
      await witness.writesAgain(100);
      const seen = fewestReady(cluster);
      const [one = "", other = ""] = await nodesOf(cluster);
      // On two nodes there is no room for three that want to be apart: the second drain waits until the first node is
      // back.
      const drains = Promise.all([drain(one), drain(other)]);
      const isStuck = async () => {
        const pods = await cluster.pods();
        return pods.filter(({ spec }) => spec?.nodeName === one || spec?.nodeName === other).length === 1;
      };
      await until(isStuck, { what: "one of them to be drained", timeoutMs: 120_000 });
      await cluster.settled(3);
      const left = (await nodesOf(cluster)).includes(one) ? other : one;
      await scenario.local.kubectl("uncordon", left);
      const results = await drains;
      assert.deepEqual(
        results.map(({ code }) => code),
        [0, 0],
        results.map(({ stderr }) => stderr).join("\n"),
      );
      assert.match(
        results.map(({ stderr }) => stderr).join("\n"),
        /Cannot evict pod as it would violate the pod's disruption budget\./,
      );
      await scenario.local.kubectl("uncordon", one, other);
      await cluster.settled(3);
      assert.ok((await seen()) >= 2, "the budget kept two of three");
      await cluster.verify(witness);
      await cluster.delete();
      await cluster.isGone();
    });
  },
);

test("members on volumes that stay where they are wait for their node", { timeout: 300_000 }, async () => {
  const cluster = await scenario.create("bound", {
    claims: true,
    isApart: true,
    whenDeleted: "Delete",
    storageClass: "local",
  });
  await cluster.settled(3);
  const witness = await cluster.witness();
  await witness.writesAgain(100);
  const before = await cluster.memberIds();
  const [node = ""] = await nodesOf(cluster);
  const member = (await cluster.pods()).find(({ spec }) => spec?.nodeName === node);
  assert.equal((await drain(node)).code, 0);
  const says = async () => {
    const pod = await scenario.client.get(resources.pods, { namespace: "default", name: member?.metadata.name ?? "" });
    return pod.status?.conditions?.find(({ type, status }) => type === "PodScheduled" && status === "False")?.message;
  };
  const message = await until(says, { what: "the scheduler's word" });
  assert.match(message, /didn't match PersistentVolume's node affinity/);
  await scenario.local.kubectl("uncordon", node);
  await cluster.settled(3);
  assert.deepEqual(await cluster.memberIds(), before);
  await cluster.verify(witness);
  await cluster.delete();
  await cluster.isGone();
});
