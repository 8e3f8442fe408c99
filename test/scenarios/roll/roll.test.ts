import assert from "node:assert/strict";
import type { ClusterUnderTest } from "@etcd-operator/testing/scenario/cluster/cluster-under-test.ts";
import { trueMeanwhile } from "@etcd-operator/testing/scenario/cluster/meanwhile.ts";
import { etcdOf, podsCarry, runsVersion } from "@etcd-operator/testing/scenario/cluster/rolled.ts";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import { until } from "@etcd-operator/testing/until.ts";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { describe, test } from "vitest";

const scenario = clusterScenario();
const RESOURCES = { requests: { cpu: "15m", memory: "32Mi" } };
const carriesResources = (pod: Pod) => etcdOf(pod).resources?.requests?.cpu === RESOURCES.requests.cpu;
/** Begun right after the edit, when the status is still about the previous spec. */
const WAIT_UNTIL_READY = ["wait", "--for=condition=Ready", "--timeout=3m"] as const;
const carried = { what: "the resources", is: carriesResources };

/** Each roll with its begin and its end, and each member in it. */
async function tellsOfRolls(cluster: ClusterUnderTest, rolls: number, size: number): Promise<void> {
  const wanted = {
    RolloutStarted: rolls,
    ChangingMember: rolls * size,
    "Member Upgraded": size,
    RolloutDone: rolls,
  };
  let told: Record<string, number> = {};
  const isTold = async () => {
    const events = await cluster.events();
    const count = (reason: string) =>
      events.filter((event) => event.reason === reason).reduce((sum, event) => sum + event.count, 0);
    told = Object.fromEntries(Object.keys(wanted).map((reason) => [reason, count(reason)]));
    return Object.entries(wanted).every(([reason, least]) => (told[reason] ?? 0) >= least);
  };
  await until(isTold, { what: `Events of ${rolls} rolls` }).catch((error: Error) => {
    throw new Error(`${error.message}; there are ${JSON.stringify(told)}`, { cause: error.cause });
  });
}

describe("a rolling change loses nothing of what clients write meanwhile", { timeout: 240_000 }, () => {
  test("a version reaches members on volumes in their own pods, and an edit of the pods by new ones", async () => {
    const cluster = await scenario.create("on-claims", { claims: true, whenDeleted: "Delete", bootstrap: "Parallel" });
    await cluster.settled(3);
    const [ids, uids] = [await cluster.memberIds(), await cluster.podUids()];
    const witness = await cluster.witness();
    await witness.writesAgain();
    const complaints = await trueMeanwhile(cluster, "Degraded", async () => {
      await cluster.changeSpec({ version: "3.5.30" });
      await runsVersion(cluster, { version: "3.5.30", size: 3 });
      assert.deepEqual([await cluster.memberIds(), await cluster.podUids()], [ids, uids]);
      await cluster.changeSpec({ pod: { resources: RESOURCES } });
      await scenario.local.kubectl(...WAIT_UNTIL_READY, "etcd/on-claims");
      assert.ok((await cluster.pods()).every(carriesResources), "Ready before the edit has reached every member");
      await podsCarry(cluster, { ...carried, size: 3 });
    });
    assert.deepEqual(complaints, [], "Degraded, while members are taken down on purpose");
    assert.deepEqual(await cluster.memberIds(), ids);
    assert.ok((await cluster.podUids()).every((uid) => !uids.includes(uid)));
    await tellsOfRolls(cluster, 2, 3);
    await cluster.verify(witness);
    await cluster.delete();
    await cluster.isGone();
  });

  test("a version reaches members without volumes in their own pods, too", async () => {
    const cluster = await scenario.create("in-pods", { bootstrap: "Parallel" });
    await cluster.settled(3);
    const [ids, uids] = [await cluster.memberIds(), await cluster.podUids()];
    const witness = await cluster.witness();
    await witness.writesAgain();
    await cluster.changeSpec({ version: "3.5.30" });
    await scenario.local.kubectl(...WAIT_UNTIL_READY, "etcd/in-pods");
    const running = (await cluster.answers()).map(({ status }) => status.version);
    assert.deepEqual(running, ["3.5.30", "3.5.30", "3.5.30"], "Ready before the version has reached every member");
    await runsVersion(cluster, { version: "3.5.30", size: 3 });
    assert.deepEqual([await cluster.memberIds(), await cluster.podUids()], [ids, uids]);
    await cluster.verify(witness);
    await cluster.delete();
    await cluster.isGone();
  });

  test("an edit of the pod reaches a single member without a volume by another member, which comes first", async () => {
    const cluster = await scenario.create("single", { size: 1 });
    await cluster.settled(1);
    const ids = Object.values(await cluster.memberIds());
    const witness = await cluster.witness();
    await witness.writesAgain();
    await cluster.changeSpec({ pod: { resources: RESOURCES } });
    await podsCarry(cluster, { ...carried, size: 1 });
    assert.ok(!Object.values(await cluster.memberIds()).some((id) => ids.includes(id)));
    await cluster.verify(witness);
    await cluster.delete();
    await cluster.isGone();
  });
});
