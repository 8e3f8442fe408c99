import assert from "node:assert/strict";
import type { Stored } from "@etcd-operator/kubernetes-client";
import type { ClusterUnderTest } from "@etcd-operator/testing/scenario/cluster/cluster-under-test.ts";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import { podIsGone } from "@etcd-operator/testing/scenario/faults/member-faults.ts";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { describe, test } from "vitest";

const scenario = clusterScenario();

/** Cuts a member off until the status says that it is missed, and lets it come back. */
async function cutOffAndHeal(cluster: ClusterUnderTest, pod: Stored<Pod>): Promise<void> {
  const { name, uid } = pod.metadata;
  await scenario.faults.isolate(uid);
  await cluster.becomes(`to miss ${name}`, ({ status }) => status?.members?.unready?.includes(name), 60_000);
  await scenario.faults.heal();
}

describe("a member that is cut off from everything", { timeout: 240_000 }, () => {
  test("is missed and waited for, and is the same member when it is healed: a follower", async () => {
    const cluster = await scenario.create("cut");
    await cluster.settled(3);
    const before = await cluster.memberIds();
    const witness = await cluster.witness();
    await witness.writesAgain();
    const [follower] = (await cluster.roles()).followers;
    assert.ok(follower);
    await cutOffAndHeal(cluster, follower);
    await witness.writesAgain();
    await cluster.settled(3);
    assert.deepEqual(await cluster.memberIds(), before);
    await cluster.verify(witness);
  });

  test("is missed and waited for, and is the same member when it is healed: the leader", async () => {
    const cluster = scenario.cluster("cut");
    const before = await cluster.memberIds();
    const witness = await cluster.witness({ name: "leader" });
    await witness.writesAgain();
    await cutOffAndHeal(cluster, (await cluster.roles()).leader);
    await witness.writesAgain();
    await cluster.settled(3);
    assert.deepEqual(await cluster.memberIds(), before);
    await cluster.verify(witness);
    await cluster.delete();
    await cluster.isGone();
  });

  test("is replaced when it stays away for too long, and does no harm when it comes back", async () => {
    const cluster = await scenario.create("cut-for-long", {
      claims: true,
      replaceAfterSeconds: 10,
      whenDeleted: "Delete",
    });
    await cluster.settled(3);
    const witness = await cluster.witness();
    await witness.writesAgain();
    const { leader } = await cluster.roles();
    await scenario.faults.isolate(leader.metadata.uid);
    await cluster.areRemoved([leader]);
    await scenario.faults.heal();
    await podIsGone(scenario, leader);
    await cluster.settled(3);
    await witness.writesAgain();
    await cluster.verify(witness);
    await cluster.delete();
    await cluster.isGone();
  });

  test("two of them that do not reach each other are no reason to replace a member", async () => {
    const cluster = await scenario.create("parted", { replaceAfterSeconds: 5 });
    await cluster.settled(3);
    const before = await cluster.memberIds();
    const witness = await cluster.witness();
    const { followers } = await cluster.roles();
    const [one, other] = followers.map(({ metadata, status }) => ({ uid: metadata.uid, ip: status?.podIP ?? "" }));
    assert.ok(one && other);
    await scenario.faults.part(one, other);
    await witness.writesAgain(1_000);
    await scenario.faults.heal();
    await cluster.settled(3);
    assert.deepEqual(await cluster.memberIds(), before);
    await cluster.verify(witness);
    await cluster.delete();
    await cluster.isGone();
  });
});
