import assert from "node:assert/strict";
import { resources } from "@etcd-operator/kubernetes-client";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import { podIsGone } from "@etcd-operator/testing/scenario/faults/member-faults.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { describe, test } from "vitest";

const scenario = clusterScenario({ nodes: 4, nodeGraceSeconds: 15 });

async function readinessOf(node: string): Promise<string | undefined> {
  const { status } = await scenario.client.get(resources.nodes, { name: node });
  return status?.conditions?.find(({ type }) => type === "Ready")?.status;
}

const isGivenUp = (node: string) =>
  until(async () => (await readinessOf(node)) === "Unknown", { what: `${node} to be given up`, timeoutMs: 60_000 });
const isBack = (node: string) =>
  until(
    async () => {
      const { spec } = await scenario.client.get(resources.nodes, { name: node });
      return (await readinessOf(node)) === "True" && !spec?.taints?.length;
    },
    { what: `${node} to be back` },
  );

describe.each([{ claims: true }, { claims: false }])("a node that dies (claims: $claims)", ({ claims }) => {
  test("and stays away: its member is replaced elsewhere, and its pod goes when it returns", {
    timeout: 400_000,
  }, async () => {
    const name = claims ? "away-claims" : "away";
    const cluster = await scenario.create(name, {
      claims,
      isApart: true,
      replaceAfterSeconds: 15,
      whenDeleted: "Delete",
    });
    await cluster.settled(3);
    const witness = await cluster.witness();
    await witness.writesAgain(100);
    const { leader: victim } = await cluster.roles();
    const node = victim.spec?.nodeName ?? "";
    await scenario.local.stopNode(node);
    await witness.writesAgain(100);
    await isGivenUp(node);
    await cluster.areRemoved([victim]);
    const isJoined = async () => (await cluster.voters()).length === 3;
    await until(isJoined, { what: "another member to vote", timeoutMs: 120_000, everyMs: 200 });
    const stuck = await scenario.client.get(resources.pods, victim.metadata);
    assert.ok(stuck.metadata.deletionTimestamp, "the operator has deleted it");
    assert.equal(stuck.metadata.uid, victim.metadata.uid, "and it is unknown whether it has ended");
    await scenario.local.startNode(node);
    await isBack(node);
    await podIsGone(scenario, victim);
    await cluster.settled(3);
    await cluster.verify(witness);
    await cluster.delete();
    await cluster.isGone();
  });

  test("and returns soon: its member continues with its identity", { timeout: 400_000 }, async () => {
    const name = claims ? "back-claims" : "back";
    const cluster = await scenario.create(name, {
      claims,
      isApart: true,
      replaceAfterSeconds: 120,
      whenDeleted: "Delete",
    });
    await cluster.settled(3);
    const before = await cluster.memberIds();
    const witness = await cluster.witness();
    await witness.writesAgain(100);
    const { leader: victim } = await cluster.roles();
    const node = victim.spec?.nodeName ?? "";
    await scenario.local.stopNode(node);
    await isGivenUp(node);
    const isNotReady = async () => {
      const { status } = await scenario.client.get(resources.pods, victim.metadata);
      return status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "False");
    };
    await until(isNotReady, { what: "its pod not to be ready" });
    await witness.writesAgain(100);
    await scenario.local.startNode(node);
    await isBack(node);
    await cluster.settled(3);
    assert.deepEqual(await cluster.memberIds(), before);
    assert.equal((await scenario.client.get(resources.pods, victim.metadata)).metadata.uid, victim.metadata.uid);
    await cluster.verify(witness);
    await cluster.delete();
    await cluster.isGone();
  });
});

test("a node that dies for good: when its object is deleted, its pods are too", { timeout: 400_000 }, async () => {
  const cluster = await scenario.create("gone", { isApart: true, replaceAfterSeconds: 15 });
  await cluster.settled(3);
  const witness = await cluster.witness();
  await witness.writesAgain(100);
  const { followers } = await cluster.roles();
  const [victim] = followers;
  assert.ok(victim);
  const node = victim.spec?.nodeName ?? "";
  await scenario.local.stopNode(node);
  await isGivenUp(node);
  await scenario.local.kubectl("delete", "node", node);
  const isGone = async () => (await cluster.pods()).every(({ metadata }) => metadata.uid !== victim.metadata.uid);
  await until(isGone, { what: "its pod to be collected", timeoutMs: 90_000, everyMs: 200 });
  await cluster.settled(3);
  await scenario.local.startNode(node);
  await until(async () => (await readinessOf(node)) === "True", { what: "the node to be made again" });
  await cluster.verify(witness);
});
