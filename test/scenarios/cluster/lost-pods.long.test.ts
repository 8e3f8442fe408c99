import assert from "node:assert/strict";
import { resources } from "@etcd-operator/kubernetes-client";
import { conditionOf, is } from "@etcd-operator/testing/scenario/cluster/settled.ts";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import { deletePods } from "@etcd-operator/testing/scenario/faults/member-faults.ts";
import { staysSo } from "@etcd-operator/testing/scenario/stays-so.ts";
import { describe, test } from "vitest";

const scenario = clusterScenario();

describe("a cluster on claims", { timeout: 240_000 }, () => {
  test("has two of three pods back as the same members, though they were a majority", async () => {
    const cluster = await scenario.create("claims", { claims: true, whenDeleted: "Delete" });
    await cluster.settled(3);
    const before = await cluster.memberIds();
    const witness = await cluster.witness();
    await witness.writesAgain();
    const { leader, followers } = await cluster.roles();
    await deletePods(scenario, [leader, ...followers.slice(0, 1)]);
    await cluster.settled(3);
    assert.deepEqual(await cluster.memberIds(), before);
    await cluster.verify(witness);
  });

  test("has all its pods back as the same members, with all data", async () => {
    const cluster = scenario.cluster("claims");
    const before = await cluster.memberIds();
    const witness = await cluster.witness({ name: "all" });
    await witness.writesAgain(100);
    await deletePods(scenario, await cluster.pods());
    await cluster.settled(3);
    await witness.writesAgain();
    assert.deepEqual(await cluster.memberIds(), before);
    await cluster.verify(witness);
  });

  test("survives that all its pods are deleted by force, with no grace", async () => {
    const cluster = scenario.cluster("claims");
    const before = await cluster.memberIds();
    const witness = await cluster.witness({ name: "force" });
    await witness.writesAgain(100);
    await deletePods(scenario, await cluster.pods(), 0);
    await cluster.settled(3);
    assert.deepEqual(await cluster.memberIds(), before);
    await cluster.verify(witness);
    await cluster.delete();
    await cluster.isGone();
  });
});

describe("a member that loses its pod and its claim", { timeout: 240_000 }, () => {
  test("is removed and followed by another", async () => {
    const cluster = await scenario.create("no-claim-left", { claims: true, whenDeleted: "Delete" });
    await cluster.settled(3);
    const before = await cluster.memberIds();
    const witness = await cluster.witness();
    await witness.writesAgain();
    const { leader } = await cluster.roles();
    // A claim in use goes when its pod does.
    await scenario.client.delete(resources.persistentVolumeClaims, leader.metadata);
    await witness.writesAgain();
    await deletePods(scenario, [leader]);
    await cluster.areRemoved([leader]);
    await cluster.settled(3);
    const after = await cluster.memberIds();
    assert.equal(Object.keys(before).filter((name) => before[name] === after[name]).length, 2);
    await cluster.verify(witness);
    await cluster.delete();
    await cluster.isGone();
  });

  test("unless it is the only one: that is reported, and no new cluster is bootstrapped in its place", async () => {
    const cluster = await scenario.create("only-one", { size: 1, claims: true, whenDeleted: "Delete" });
    const { status } = await cluster.settled(1);
    const witness = await cluster.witness();
    await witness.writesAgain();
    await deletePods(scenario, await cluster.pods());
    await cluster.settled(1);
    await cluster.verify(witness);
    const [pod] = await cluster.pods();
    assert.ok(pod);
    await scenario.client.delete(resources.persistentVolumeClaims, pod.metadata);
    await deletePods(scenario, [pod]);
    await cluster.becomes("to report the loss", (seen) => is(seen, "QuorumLost"), 30_000);
    await staysSo(
      async () => {
        assert.deepEqual([await cluster.pods(), await cluster.claims()], [[], []]);
        assert.equal((await cluster.get()).status?.clusterID, status?.clusterID);
      },
      { forMs: 20_000 },
    );
    await cluster.delete();
    await cluster.isGone();
  });
});

describe("a cluster without claims", { timeout: 240_000 }, () => {
  test("replaces two of five members whose pods were deleted, one after the other", async () => {
    const cluster = await scenario.create("five", { size: 5 });
    await cluster.settled(5);
    const before = await cluster.memberIds();
    const witness = await cluster.witness();
    await witness.writesAgain();
    const { leader, followers } = await cluster.roles();
    const lost = [leader, ...followers.slice(0, 1)];
    await deletePods(scenario, lost);
    await cluster.areRemoved(lost);
    await cluster.settled(5);
    const after = await cluster.memberIds();
    assert.equal(Object.keys(before).filter((name) => before[name] === after[name]).length, 3);
    await cluster.verify(witness);
    await cluster.delete();
    await cluster.isGone();
  });

  test("reports a lost quorum when all its pods are deleted, and bootstraps no other cluster in its place", async () => {
    const cluster = await scenario.create("nothing-left");
    const { status } = await cluster.settled(3);
    const names = await cluster.memberNames();
    await deletePods(scenario, await cluster.pods());
    const told = await cluster.becomes(
      "to report the loss",
      (seen) => is(seen, "QuorumLost") && is(seen, "Available", "False"),
      30_000,
    );
    const { message = "" } = conditionOf(told, "QuorumLost") ?? {};
    for (const name of names) assert.ok(message.includes(name), `'${message}' does not name ${name}`);
    await staysSo(
      async () => {
        assert.deepEqual(await cluster.pods(), []);
        const seen = await cluster.get();
        assert.deepEqual([seen.status?.clusterID, seen.status?.incarnation], [status?.clusterID, status?.incarnation]);
        assert.ok(is(seen, "QuorumLost"));
      },
      { forMs: 30_000 },
    );
    await cluster.delete();
    await cluster.isGone();
  });
});
