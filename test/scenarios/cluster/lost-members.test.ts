import assert from "node:assert/strict";
import type { Stored } from "@etcd-operator/kubernetes-client";
import type { ClusterUnderTest } from "@etcd-operator/testing/scenario/cluster/cluster-under-test.ts";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import { deletePods, signalEtcd } from "@etcd-operator/testing/scenario/faults/member-faults.ts";
import { until } from "@etcd-operator/testing/until.ts";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { describe, test } from "vitest";

const scenario = clusterScenario();

function anyOf(pods: readonly Stored<Pod>[]): Stored<Pod> {
  const [pod] = pods;
  assert.ok(pod);
  return pod;
}

/** Kills an etcd and waits until its container has been started again. */
async function killAndComeBack(cluster: ClusterUnderTest, victim: Stored<Pod>): Promise<void> {
  const restarts = (pod?: Pod) => pod?.status?.containerStatuses?.[0]?.restartCount ?? 0;
  await signalEtcd(scenario, victim, "SIGKILL");
  const again = async () => {
    const pod = (await cluster.pods()).find(({ metadata }) => metadata.uid === victim.metadata.uid);
    return restarts(pod) > restarts(victim);
  };
  await until(again, { what: `the container of ${victim.metadata.name} to restart` });
}

describe("a member that is killed with SIGKILL", { timeout: 180_000 }, () => {
  test("comes back in its pod as itself, be it a follower or the leader", async () => {
    const cluster = await scenario.create("killed");
    await cluster.settled(3);
    const [membersBefore, podsBefore] = [await cluster.memberIds(), await cluster.podUids()];
    const witness = await cluster.witness();
    await witness.writesAgain();
    await killAndComeBack(cluster, anyOf((await cluster.roles()).followers));
    await witness.writesAgain();
    await cluster.settled(3);
    await killAndComeBack(cluster, (await cluster.roles()).leader);
    await witness.writesAgain();
    await cluster.settled(3);
    assert.deepEqual(await cluster.memberIds(), membersBefore);
    assert.deepEqual(await cluster.podUids(), podsBefore);
    await cluster.verify(witness);
  });
});

describe("a member whose pod is deleted", { timeout: 180_000 }, () => {
  test("is removed and followed by another, when its data went with the pod", async () => {
    const cluster = scenario.cluster("killed");
    const before = await cluster.memberIds();
    const witness = await cluster.witness({ name: "deleted" });
    await witness.writesAgain();
    const victim = (await cluster.roles()).leader;
    await deletePods(scenario, [victim]);
    await until(async () => !Object.hasOwn(await cluster.memberIds(), victim.metadata.name), { what: "its removal" });
    await cluster.settled(3);
    const after = await cluster.memberIds();
    const kept = Object.keys(before).filter((name) => before[name] === after[name]);
    assert.equal(kept.length, 2);
    await cluster.verify(witness);
    await cluster.delete();
  });

  test("returns on its claim under the same name, as the same member", async () => {
    const cluster = await scenario.create("on-claims", { claims: true, whenDeleted: "Delete" });
    await cluster.settled(3);
    const before = await cluster.memberIds();
    const witness = await cluster.witness();
    await witness.writesAgain();
    const victim = (await cluster.roles()).leader;
    await deletePods(scenario, [victim]);
    await cluster.settled(3);
    assert.deepEqual(await cluster.memberIds(), before);
    assert.ok(!(await cluster.podUids()).includes(victim.metadata.uid));
    await cluster.verify(witness);
    await cluster.delete();
    await cluster.isGone();
  });
});
