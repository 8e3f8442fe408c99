import assert from "node:assert/strict";
import { ownResources } from "@etcd-operator/operator/objects/own-resources.ts";
import type { ClusterUnderTest } from "@etcd-operator/testing/scenario/cluster/cluster-under-test.ts";
import { fewestReady } from "@etcd-operator/testing/scenario/cluster/fewest-ready.ts";
import { conditionOf } from "@etcd-operator/testing/scenario/cluster/settled.ts";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { test } from "vitest";

// Its operator may list nodes, which the one that local mode brings along may not.
const scenario = clusterScenario({ nodes: 3, operator: false });

const drain = (node: string) =>
  scenario.local.tryKubectl(["drain", node, "--ignore-daemonsets", "--delete-emptydir-data", "--timeout=180s"]);

async function nodesOf(cluster: ClusterUnderTest): Promise<readonly string[]> {
  return (await cluster.pods()).map(({ spec }) => spec?.nodeName ?? "").sort();
}

/** The node that holds two of three members or more, by the pods themselves. */
async function crowdedNode(cluster: ClusterUnderTest): Promise<string | undefined> {
  const nodes = await nodesOf(cluster);
  return nodes.find((node, at) => nodes.indexOf(node) < at);
}

/** The condition comes to name the node that holds a majority, and how many are on it; or to say that there is none. */
async function saysTheTruth(cluster: ClusterUnderTest): Promise<string | undefined> {
  const isSaid = async () => {
    const [nodes, crowded] = [await nodesOf(cluster), await crowdedNode(cluster)];
    const { status, message = "" } = conditionOf(await cluster.get(), "Spread") ?? {};
    if (crowded === undefined) return status === "True";
    const there = nodes.filter((node) => node === crowded).length;
    const start = `The loss of node ${crowded} would lose quorum: ${there} of 3 members run on it (`;
    return status === "False" && message.startsWith(start);
  };
  await until(isSaid, { what: "the condition to tell" });
  return crowdedNode(cluster);
}

test("members that drains of one node after another brought together are spread again ten minutes after all is healthy", {
  timeout: 1_800_000,
}, async () => {
  await scenario.startOperator();
  const cluster = await scenario.create("gathered");
  const place = { namespace: "default", name: "gathered" };
  await scenario.client.patch(ownResources.etcdClusters, place, { merge: { spec: { rebalance: "Automatic" } } });
  await cluster.settled(3);
  const nodes = [...new Set(await nodesOf(cluster))];
  assert.equal(nodes.length, 3);
  assert.equal(await saysTheTruth(cluster), undefined);
  const witness = await cluster.witness();
  await witness.writesAgain(100);
  const seen = fewestReady(cluster);
  let next: string | undefined = nodes[0];
  for (const round of ["first", "second"]) {
    const node: string = next ?? "";
    const { code, stderr } = await drain(node);
    assert.equal(code, 0, stderr);
    await cluster.settled(3);
    assert.ok(!(await nodesOf(cluster)).includes(node), `a member is still on ${node}`);
    next = await saysTheTruth(cluster);
    assert.ok(next, `the ${round} drain left three members on two nodes`);
    await scenario.local.kubectl("uncordon", node);
    await witness.writesAgain(100);
  }
  const before = await cluster.memberIds();
  const isApart = async () => String(await nodesOf(cluster)) === String([...nodes].sort());
  await until(isApart, { what: "members to lie apart", timeoutMs: 1_500_000 });
  await cluster.settled(3);
  const after = await cluster.memberIds();
  assert.equal(Object.keys(before).filter((name) => name in after).length, 2, "one member has moved");
  assert.equal(await saysTheTruth(cluster), undefined);
  assert.ok((await seen()) >= 2, "two of three were ready all the while");
  await cluster.verify(witness);
});
