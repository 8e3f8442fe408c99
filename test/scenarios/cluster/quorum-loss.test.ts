import assert from "node:assert/strict";
import type { EtcdCluster } from "@etcd-operator/operator/api/etcd-cluster.ts";
import type { ClusterUnderTest } from "@etcd-operator/testing/scenario/cluster/cluster-under-test.ts";
import { conditionOf, is } from "@etcd-operator/testing/scenario/cluster/settled.ts";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import { deletePods } from "@etcd-operator/testing/scenario/faults/member-faults.ts";
import { staysSo } from "@etcd-operator/testing/scenario/stays-so.ts";
import { describe, test } from "vitest";

// What the operator promises: a loss is on record before half a minute is over.
const REPORTED_WITHIN_MS = 30_000;

const scenario = clusterScenario();

const isReported = (cluster: EtcdCluster) => is(cluster, "QuorumLost") && is(cluster, "Available", "False");

/** Names those that are gone, says that nothing is removed, and what the user can do. */
function tellsOf(cluster: EtcdCluster, gone: readonly string[]): void {
  const { message = "" } = conditionOf(cluster, "QuorumLost") ?? {};
  for (const name of gone) assert.ok(message.includes(name), `'${message}' does not name ${name}`);
  assert.match(message, /restore|backup|bring|return|delete/i);
  const ready = cluster.status?.members?.ready ?? [];
  assert.deepEqual(
    ready.filter((name) => gone.includes(name)),
    [],
    "no stopped member may be reported as ready",
  );
  for (const member of cluster.status?.memberStatus ?? []) {
    if (gone.includes(member.name)) assert.notEqual(member.health, "Healthy", member.name);
  }
}

async function isToldInTime(cluster: ClusterUnderTest): Promise<EtcdCluster> {
  const began = performance.now();
  const told = await cluster.becomes("to report the loss", isReported, REPORTED_WITHIN_MS);
  process.stdout.write(`  ${cluster.name}: the loss was reported after ${Math.round(performance.now() - began)} ms\n`);
  return told;
}

describe("a cluster without a majority", { timeout: 240_000 }, () => {
  test("says so within 30 seconds, and recovers by itself when its members return", async () => {
    const cluster = await scenario.create("cut-off");
    await cluster.settled(3);
    const before = await cluster.memberIds();
    const witness = await cluster.witness();
    await witness.writesAgain();
    const { leader, followers } = await cluster.roles();
    const lost = [leader, ...followers.slice(0, 1)];
    for (const pod of lost) await scenario.faults.isolate(pod.metadata.uid);
    const told = await isToldInTime(cluster);
    tellsOf(
      told,
      lost.map(({ metadata }) => metadata.name),
    );
    await scenario.faults.heal();
    await witness.writesAgain();
    await cluster.settled(3);
    assert.deepEqual(await cluster.memberIds(), before);
    await cluster.verify(witness);
  });

  test("keeps what is left and removes nothing, when the data of two of three is gone for good", async () => {
    const cluster = scenario.cluster("cut-off");
    const witness = await cluster.witness({ name: "gone" });
    await witness.writesAgain();
    const { leader, followers } = await cluster.roles();
    const [survivor, ...others] = followers;
    assert.ok(survivor);
    const lost = [leader, ...others];
    await deletePods(scenario, lost);
    const told = await isToldInTime(cluster);
    tellsOf(
      told,
      lost.map(({ metadata }) => metadata.name),
    );
    await staysSo(
      async () => {
        assert.deepEqual(
          (await cluster.pods()).map(({ metadata }) => metadata.uid),
          [survivor.metadata.uid],
        );
        assert.ok(isReported(await cluster.get()));
      },
      { forMs: 8_000 },
    );
    const members = await cluster.ask(survivor, (client) => client.members({ linearizable: false }));
    assert.equal(members.length, 3);
    witness.assertUnbroken();
    await witness.stop();
    await cluster.delete();
    await cluster.isGone();
  });
});
