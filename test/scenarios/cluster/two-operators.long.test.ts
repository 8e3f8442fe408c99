import assert from "node:assert/strict";
import { resources } from "@etcd-operator/kubernetes-client";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import { staysSo } from "@etcd-operator/testing/scenario/stays-so.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { describe, test } from "vitest";

const LEASE = { namespace: "default", name: "etcd-operator-clusters-namespaced" };

const scenario = clusterScenario({ operator: false });

const holder = async () => (await scenario.client.get(resources.leases, LEASE)).spec?.holderIdentity;

describe("two operators at once", { timeout: 400_000 }, () => {
  test("work as one: the second waits, and takes over when the first is stopped", async () => {
    const first = await scenario.startOperator({ name: "first" });
    const cluster = await scenario.create("handed-over");
    const witness = await cluster.witness();
    const before = await until(holder, { what: "an operator to lead" });
    const second = await scenario.startOperator({ name: "second" });
    await cluster.becomes("to have begun", ({ status }) => (status?.members?.ready ?? []).length > 0);
    await first.stop();
    await cluster.settled(3);
    assert.notEqual(await holder(), before);
    await cluster.verify(witness);
    await second.stop();
  });

  test("one that is frozen in the middle of its work and woken later changes nothing any more, and ends", async () => {
    const cluster = scenario.cluster("handed-over");
    const witness = await cluster.witness({ name: "frozen" });
    for (const size of [5, 3, 5]) {
      const first = await scenario.startOperator({ name: "frozen" });
      const leader = await until(holder, { what: "the first to lead" });
      const second = await scenario.startOperator({ name: "heir" });
      const { metadata } = await cluster.get();
      await cluster.changeSpec({ size });
      // It has written down what it is about to do, and is frozen in the act.
      await cluster.becomes("to be changed", (seen) => seen.metadata.resourceVersion !== metadata.resourceVersion);
      await cluster.becomes("to be worked on", ({ status, metadata: { generation } }) => {
        return status?.observedGeneration === generation;
      });
      first.freeze();
      await cluster.settled(size);
      const taken = await holder();
      assert.notEqual(taken, leader);
      const [members, pods] = [await cluster.memberIds(), await cluster.podUids()];
      first.thaw();
      assert.match(await first.ended, /exit code 1/);
      await staysSo(
        async () => {
          assert.deepEqual([await cluster.memberIds(), await cluster.podUids()], [members, pods]);
          assert.equal(await holder(), taken);
        },
        { forMs: 5_000 },
      );
      await second.stop();
    }
    await cluster.verify(witness);
  });
});
