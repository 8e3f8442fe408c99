import assert from "node:assert/strict";
import { resources } from "@etcd-operator/kubernetes-client";
import type { ClusterUnderTest } from "@etcd-operator/testing/scenario/cluster/cluster-under-test.ts";
import { is } from "@etcd-operator/testing/scenario/cluster/settled.ts";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import { deletePods } from "@etcd-operator/testing/scenario/faults/member-faults.ts";
import { staysSo } from "@etcd-operator/testing/scenario/stays-so.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { describe, test } from "vitest";

const scenario = clusterScenario();

async function volumes(): Promise<readonly string[]> {
  return (await scenario.client.list(resources.persistentVolumes)).items.map(({ metadata }) => metadata.name);
}

interface Phase {
  readonly name: string;
  readonly reach: (cluster: ClusterUnderTest) => Promise<unknown>;
}

const phases: readonly Phase[] = [
  { name: "created a moment ago", reach: async () => undefined },
  {
    name: "with its seed declared",
    reach: (cluster) => cluster.becomes("to declare", ({ status }) => (status?.memberIntents ?? []).length > 0),
  },
  {
    name: "with its first pod",
    reach: (cluster) => until(async () => (await cluster.pods()).length > 0, { what: "a pod", everyMs: 5 }),
  },
  {
    name: "with one member of three",
    reach: (cluster) => cluster.becomes("to serve", ({ status }) => (status?.readyMembers ?? 0) > 0),
  },
  {
    name: "while its second member joins",
    reach: (cluster) =>
      until(async () => (await cluster.members()).length > 1, { what: "a second member", timeoutMs: 60_000 }),
  },
  { name: "running", reach: (cluster) => cluster.settled(3) },
  {
    name: "scaling up",
    async reach(cluster) {
      await cluster.settled(3);
      await cluster.changeSpec({ size: 5 });
      await until(async () => (await cluster.pods()).length > 3, { what: "a fourth pod", everyMs: 5 });
    },
  },
  {
    name: "scaling down",
    async reach(cluster) {
      await cluster.settled(3);
      await cluster.changeSpec({ size: 1 });
      await until(async () => (await cluster.members()).length < 3, { what: "a removal" });
    },
  },
  {
    name: "healing",
    async reach(cluster) {
      await cluster.settled(3);
      await deletePods(scenario, (await cluster.roles()).followers.slice(0, 1));
    },
  },
  {
    name: "without a majority",
    async reach(cluster) {
      await cluster.settled(3);
      for (const { metadata } of (await cluster.pods()).slice(0, 2)) await scenario.faults.isolate(metadata.uid);
      await cluster.becomes("to report the loss", (seen) => is(seen, "QuorumLost"));
    },
  },
  {
    name: "paused",
    async reach(cluster) {
      await cluster.settled(3);
      await cluster.changeSpec({ paused: true });
      await cluster.becomes("to be paused", ({ status }) => status?.controlPaused === true);
    },
  },
];

describe("a cluster leaves nothing behind when it is deleted", { timeout: 240_000 }, () => {
  test.each(phases.map(({ name, reach }) => [name, reach] as const))("%s", async (_, reach) => {
    const cluster = await scenario.create("short-lived", { claims: true, whenDeleted: "Delete" });
    await reach(cluster);
    await cluster.delete();
    await cluster.isGone();
    const look = async () => assert.deepEqual([...(await cluster.pods()), ...(await cluster.claims())], []);
    await staysSo(look, { forMs: 2_000 });
    await until(async () => (await volumes()).length === 0, { what: "the volumes to go, too" });
  });

  test("in the foreground, where its objects go first", async () => {
    const cluster = await scenario.create("foreground", { claims: true, whenDeleted: "Delete" });
    await cluster.settled(3);
    await scenario.local.kubectl("delete", "etcd", "foreground", "--cascade=foreground");
    await cluster.isGone();
  });
});

describe("a cluster whose pods were left without an owner", { timeout: 240_000 }, () => {
  test("goes on with the same members when it is created again", async () => {
    const first = await scenario.create("orphaned", { claims: true, whenDeleted: "Delete" });
    const witness = await first.witness();
    await first.settled(3);
    const [pods, ids] = [await first.podUids(), await first.memberIds()];
    await scenario.local.kubectl("delete", "etcdcluster/orphaned", "--cascade=orphan");
    const second = await scenario.create("orphaned", { claims: true, whenDeleted: "Delete" });
    await second.settled(3);
    assert.deepEqual([await second.podUids(), await second.memberIds()], [pods, ids]);
    await second.verify(witness);
    await second.delete();
    await second.isGone();
  });
});
