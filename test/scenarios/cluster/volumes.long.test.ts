import assert from "node:assert/strict";
import type { Stored } from "@etcd-operator/kubernetes-client";
import { resources } from "@etcd-operator/kubernetes-client";
import type { ClusterUnderTest } from "@etcd-operator/testing/scenario/cluster/cluster-under-test.ts";
import { is } from "@etcd-operator/testing/scenario/cluster/settled.ts";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import { deletePods, swap, volumeFolder, wipe } from "@etcd-operator/testing/scenario/faults/member-faults.ts";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { describe, test } from "vitest";

const scenario = clusterScenario();

/** Does something to the volumes of members while their pods are away. */
async function whileAway(
  cluster: ClusterUnderTest,
  pods: readonly Stored<Pod>[],
  act: (folders: readonly string[]) => Promise<void>,
): Promise<void> {
  const folders = await Promise.all(pods.map((pod) => volumeFolder(scenario, pod)));
  await cluster.changeSpec({ paused: true });
  await cluster.becomes("to be paused", ({ status }) => status?.controlPaused === true);
  await deletePods(scenario, pods);
  await act(folders);
  await cluster.changeSpec({ paused: false });
}

describe("a member whose volume is not its own any more is refused, and replaced", { timeout: 300_000 }, () => {
  test("when the volume was wiped while its pod was away", async () => {
    const cluster = await scenario.create("wiped", { claims: true, whenDeleted: "Delete" });
    await cluster.settled(3);
    const witness = await cluster.witness();
    await witness.writesAgain(100);
    const [victim] = (await cluster.roles()).followers;
    assert.ok(victim);
    await whileAway(cluster, [victim], async ([folder = ""]) => wipe(folder));
    await cluster.areRemoved([victim]);
    await cluster.settled(3);
    await cluster.verify(witness);
    await cluster.delete();
    await cluster.isGone();
  });

  test("when two of five were given each other's", async () => {
    const cluster = await scenario.create("swapped", { size: 5, claims: true, whenDeleted: "Delete" });
    await cluster.settled(5);
    const witness = await cluster.witness();
    await witness.writesAgain(100);
    const { leader, followers } = await cluster.roles();
    const victims = [leader, ...followers.slice(0, 1)];
    await whileAway(cluster, victims, async ([one = "", other = ""]) => swap(one, other));
    await cluster.areRemoved(victims);
    await cluster.settled(5);
    await cluster.verify(witness);
    await cluster.delete();
    await cluster.isGone();
  });
});

describe("volumes of a majority that were swapped", { timeout: 240_000 }, () => {
  test("are refused and reported, and the cluster goes on with all its data when they are swapped back", async () => {
    const cluster = await scenario.create("swapped-back", { claims: true, whenDeleted: "Delete" });
    await cluster.settled(3);
    const before = await cluster.memberIds();
    const witness = await cluster.witness();
    await witness.writesAgain(100);
    const victims = (await cluster.roles()).followers;
    const folders = await Promise.all(victims.map((pod) => volumeFolder(scenario, pod)));
    const trade = () => swap(folders[0] ?? "", folders[1] ?? "");
    await whileAway(cluster, victims, trade);
    await cluster.becomes("to report the loss", (seen) => is(seen, "QuorumLost"), 60_000);
    await trade();
    await cluster.settled(3);
    assert.deepEqual(await cluster.memberIds(), before);
    await cluster.verify(witness);
    await cluster.delete();
    await cluster.isGone();
  });
});

describe("a claim that is deleted under its running member", { timeout: 300_000 }, () => {
  test.each([1, 3])("is told, and in a cluster of %i the member is replaced before it loses its data", async (size) => {
    const cluster = await scenario.create(`claim-deleted-${size}`, { size, claims: true, whenDeleted: "Delete" });
    await cluster.settled(size);
    const witness = await cluster.witness();
    await witness.writesAgain(100);
    const { leader } = await cluster.roles();
    const { name, namespace } = leader.metadata;
    await scenario.client.delete(resources.persistentVolumeClaims, { name, namespace });
    const told = await cluster.becomes("to tell of the claim", ({ status }) =>
      JSON.stringify(status?.conditions ?? []).includes("ClaimDeleted"),
    );
    assert.match(
      JSON.stringify(told.status?.conditions),
      new RegExp(`PersistentVolumeClaim '${name}' of member ${name}`),
    );
    await cluster.areRemoved([leader]);
    await cluster.settled(size);
    await cluster.verify(witness);
    await cluster.delete();
    await cluster.isGone();
  });
});
