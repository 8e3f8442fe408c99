import assert from "node:assert/strict";
import { test } from "vitest";
import { resources } from "../../../src/kubernetes/resources.ts";
import { until } from "../../support/kube/until.ts";
import { clusterScenario } from "../../support/scenario/cluster-scenario.ts";
import type { ClusterUnderTest } from "../../support/scenario/cluster-under-test.ts";

// Its operator may list nodes, which the one that local mode brings along may not.
const scenario = clusterScenario({ nodes: 3, operator: false });

const drain = (node: string) =>
  scenario.local.tryKubectl(["drain", node, "--ignore-daemonsets", "--delete-emptydir-data", "--timeout=180s"]);

async function nodesOf(cluster: ClusterUnderTest): Promise<readonly string[]> {
  return (await cluster.pods()).map(({ spec }) => spec?.nodeName ?? "").sort();
}

async function spreadOf(cluster: ClusterUnderTest): Promise<string | undefined> {
  const { status } = await cluster.get();
  return status?.conditions?.find(({ type }) => type === "Spread")?.status;
}

test("members that a drain brought together lie apart again ten minutes after all is well", {
  timeout: 1_800_000,
}, async () => {
  await scenario.startOperator();
  const cluster = await scenario.create("gathered");
  const place = { namespace: "default", name: "gathered" };
  await scenario.client.patch(resources.etcdClusters, place, { merge: { spec: { rebalance: "Automatic" } } });
  await cluster.settled(3);
  const nodes = [...new Set(await nodesOf(cluster))];
  assert.equal(nodes.length, 3);
  const witness = await cluster.witness();
  await witness.writesAgain(100);
  const [drained = ""] = nodes;
  assert.equal((await drain(drained)).code, 0);
  await cluster.settled(3);
  await until(async () => (await spreadOf(cluster)) === "False", { what: "the condition to tell" });
  await scenario.local.kubectl("uncordon", drained);
  const before = await cluster.memberIds();
  const isApart = async () => String(await nodesOf(cluster)) === String([...nodes].sort());
  await until(isApart, { what: "members to lie apart", timeoutMs: 1_500_000 });
  await cluster.settled(3);
  const after = await cluster.memberIds();
  assert.equal(Object.keys(before).filter((name) => name in after).length, 2, "one member has moved");
  await until(async () => (await spreadOf(cluster)) === "True", { what: "the condition to tell" });
  await cluster.verify(witness);
});
