import assert from "node:assert/strict";
import type { ClusterUnderTest } from "@etcd-operator/testing/scenario/cluster/cluster-under-test.ts";
import { etcdOf, podsCarry, runsVersion, whenMixed } from "@etcd-operator/testing/scenario/cluster/rolled.ts";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import { deletePods, signalEtcd } from "@etcd-operator/testing/scenario/faults/member-faults.ts";
import { describe, test } from "vitest";

const scenario = clusterScenario();
const kinds = [{ claims: false }, { claims: true }];
const RESOURCES = { requests: { cpu: "15m" } };

/** One that has not been reached by the roll yet. */
async function waitingMember(cluster: ClusterUnderTest, version: string) {
  const waiting = (await cluster.answers()).find(({ status }) => status.version === version);
  assert.ok(waiting, "no member waits any more");
  return waiting.pod;
}

describe("a roll goes on after", { timeout: 400_000 }, () => {
  test.each(kinds)("a member lost its pod (claims: $claims)", async ({ claims }) => {
    const name = claims ? "pod-lost-claims" : "pod-lost";
    const cluster = await scenario.create(name, { size: 5, claims, whenDeleted: "Delete" });
    await cluster.settled(5);
    const witness = await cluster.witness();
    await cluster.changeSpec({ version: "3.5.30" });
    await whenMixed(cluster, ["3.5.16", "3.5.30"]);
    await deletePods(scenario, [await waitingMember(cluster, "3.5.16")], 0);
    await runsVersion(cluster, { version: "3.5.30", size: 5 });
    await cluster.verify(witness);
    await cluster.delete();
    await cluster.isGone();
  });

  test("an etcd was killed", async () => {
    const cluster = await scenario.create("etcd-killed", { size: 5 });
    await cluster.settled(5);
    const ids = await cluster.memberIds();
    const witness = await cluster.witness();
    await cluster.changeSpec({ version: "3.5.30" });
    await whenMixed(cluster, ["3.5.16", "3.5.30"]);
    await signalEtcd(scenario, await waitingMember(cluster, "3.5.16"), "SIGKILL");
    await runsVersion(cluster, { version: "3.5.30", size: 5 });
    assert.deepEqual(await cluster.memberIds(), ids);
    await cluster.verify(witness);
    await cluster.delete();
    await cluster.isGone();
  });

  test.each(kinds)("leaders changed time and again (claims: $claims)", async ({ claims }) => {
    const name = claims ? "leaders-claims" : "leaders";
    const cluster = await scenario.create(name, { claims, whenDeleted: "Delete" });
    await cluster.settled(3);
    const witness = await cluster.witness();
    await cluster.changeSpec({ version: "3.5.30", pod: { resources: RESOURCES } });
    let moves = 0;
    let isOver = false;
    const restless = (async () => {
      while (!isOver) {
        moves += await anotherLeads(cluster).catch(() => 0);
        await witness.writesAgain(20).catch(() => undefined);
      }
    })();
    try {
      await runsVersion(cluster, { version: "3.5.30", size: 3 });
      await podsCarry(cluster, { what: "the resources", size: 3, is: hasResources });
    } finally {
      isOver = true;
      await restless;
    }
    process.stdout.write(`  leadership moved ${moves} times\n`);
    await cluster.verify(witness);
    await cluster.delete();
    await cluster.isGone();
  });
});

const hasResources = (pod: Parameters<typeof etcdOf>[0]) => etcdOf(pod).resources?.requests?.cpu === "15m";

async function anotherLeads(cluster: ClusterUnderTest): Promise<number> {
  const { leader, followers } = await cluster.roles();
  const ids = await cluster.memberIds();
  const next = followers.map(({ metadata }) => ids[metadata.name]).find((id) => id !== undefined);
  if (next === undefined) return 0;
  await cluster.ask(leader, (client) => client.moveLeader(next));
  return 1;
}

describe("several changes at once", { timeout: 400_000 }, () => {
  test.each(kinds)("size and version (claims: $claims)", async ({ claims }) => {
    const name = claims ? "both-claims" : "both";
    const cluster = await scenario.create(name, { claims, whenDeleted: "Delete" });
    await cluster.settled(3);
    const witness = await cluster.witness();
    await cluster.changeSpec({ version: "3.5.30", size: 5 });
    await runsVersion(cluster, { version: "3.5.30", size: 5 });
    await cluster.changeSpec({ version: "3.5.35", size: 1 });
    await runsVersion(cluster, { version: "3.5.35", size: 1 });
    await cluster.changeSpec({ version: "3.6.16", size: 3 });
    await runsVersion(cluster, { version: "3.6.16", size: 3 });
    await cluster.verify(witness);
    await cluster.delete();
    await cluster.isGone();
  });

  test.each(kinds)("the second edit before the first is done (claims: $claims)", async ({ claims }) => {
    const name = claims ? "hasty-claims" : "hasty";
    const cluster = await scenario.create(name, { claims, whenDeleted: "Delete" });
    await cluster.settled(3);
    const witness = await cluster.witness();
    await cluster.changeSpec({ version: "3.5.30" });
    await cluster.changeSpec({ version: "3.5.35", pod: { labels: { team: "one" } } });
    await whenMixed(cluster, ["3.5.16", "3.5.35"]);
    await cluster.changeSpec({ pod: { resources: RESOURCES } });
    await cluster.changeSpec({ version: "3.5.30" });
    await runsVersion(cluster, { version: "3.5.30", size: 3 });
    await podsCarry(cluster, { what: "the resources", size: 3, is: hasResources });
    assert.ok((await cluster.pods()).every(({ metadata }) => metadata.labels?.team === "one"));
    await cluster.verify(witness);
    await cluster.delete();
    await cluster.isGone();
  });
});
