import assert from "node:assert/strict";
import { hasCode, resources } from "@etcd-operator/kubernetes-client";
import { FakeClock } from "@etcd-operator/testing/kubernetes/fake-clock.ts";
import { ControllersUnderTest, serversWithoutControllers } from "@etcd-operator/testing/local/controllers.ts";
import { titleWith } from "@etcd-operator/testing/skipped.ts";
import { until } from "@etcd-operator/testing/until.ts";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { afterAll, beforeAll, describe, test } from "vitest";

for (const { name: server, start, lack } of serversWithoutControllers) {
  describe.skipIf(lack)(titleWith(`on ${server}`, lack), () => {
    const clock = new FakeClock();
    let on: ControllersUnderTest;
    let namespace: string;
    beforeAll(async () => {
      on = await ControllersUnderTest.start(start, { clock, nodes: { graceMs: 50_000 } });
      await on.client.create(resources.namespaces, { metadata: { name: "kube-node-lease" } }).catch(() => undefined);
      namespace = await on.aNamespace();
    });
    afterAll(() => on?.stop());

    test("a node that falls silent is given up, its pods are not ready, and all is well when it returns", async () => {
      await on.aNode("returning");
      const pod = await aPodOn("returning", "patient");
      const silent = await passUntil(["local"], async () => {
        const node = await on.client.get(resources.nodes, { name: "returning" });
        return node.spec?.taints?.length === 2 ? node : undefined;
      });
      const ready = silent.status?.conditions?.find(({ type }) => type === "Ready");
      assert.deepEqual([ready?.status, ready?.reason], ["Unknown", "NodeStatusUnknown"]);
      assert.deepEqual(
        silent.spec?.taints?.map(({ key, effect, timeAdded }) => [key, effect, timeAdded !== undefined]),
        [
          ["node.kubernetes.io/unreachable", "NoSchedule", true],
          ["node.kubernetes.io/unreachable", "NoExecute", true],
        ],
      );
      await passUntil(["local"], async () => readyOf(await on.client.get(resources.pods, pod)) === "False");
      await beat("returning");
      const conditions = [{ type: "Ready", status: "True", lastHeartbeatTime: new Date(clock.now()).toISOString() }];
      await on.client.patchStatus(resources.nodes, { name: "returning" }, { merge: { status: { conditions } } });
      await passUntil(["local", "returning"], async () => {
        const { spec } = await on.client.get(resources.nodes, { name: "returning" });
        return !spec?.taints?.length;
      });
      for (let minute = 0; minute < 6; minute += 1) await passUntil(["local", "returning"], async () => true, 60_000);
      assert.equal((await on.client.get(resources.pods, pod)).metadata.deletionTimestamp, undefined);
      await on.client.delete(resources.nodes, { name: "returning" });
    });

    test("pods of a node that stays away are deleted in time, and are gone when its object is", async () => {
      await on.aNode("lost");
      const pod = await aPodOn("lost", "stuck");
      const going = await passUntil(["local"], async () => {
        const seen = await on.client.get(resources.pods, pod);
        return seen.metadata.deletionTimestamp ? seen : undefined;
      });
      const why = going.status?.conditions?.find(({ type }) => type === "DisruptionTarget");
      assert.equal(why?.reason, "DeletionByTaintManager");
      await passUntil(["local"], async () => true, 600_000);
      await on.client.get(resources.pods, pod);
      await on.client.delete(resources.nodes, { name: "lost" });
      await passUntil(["local"], async () => isGone(pod));
    });

    test("a taint that a pod does not tolerate evicts it at once", async () => {
      const pod = await aPodOn("local", "intolerant");
      const taints = [{ key: "mine", value: "yes", effect: "NoExecute" }];
      await on.client.patch(resources.nodes, { name: "local" }, { merge: { spec: { taints } } });
      await passUntil(["local"], async () => (await on.client.get(resources.pods, pod)).metadata.deletionTimestamp, 10);
      await on.client.patch(resources.nodes, { name: "local" }, { merge: { spec: { taints: null } } });
    });

    test("a node that is cordoned is tainted, and no longer when it is uncordoned", async () => {
      const cordon = (unschedulable: boolean | null) =>
        on.client.patch(resources.nodes, { name: "local" }, { merge: { spec: { unschedulable } } });
      const taints = async () => (await on.client.get(resources.nodes, { name: "local" })).spec?.taints ?? [];
      await cordon(true);
      await passUntil(["local"], async () =>
        (await taints()).some(({ key }) => key === "node.kubernetes.io/unschedulable"),
      );
      await cordon(null);
      await passUntil(["local"], async () => (await taints()).length === 0);
    });

    test("no pod is evicted when no node at all reports", async () => {
      const pod = await aPodOn("local", "last");
      await passUntil([], async () => {
        const { spec } = await on.client.get(resources.nodes, { name: "local" });
        return (
          spec?.taints?.map(({ key, effect }) => `${key} ${effect}`).join() ===
          "node.kubernetes.io/unreachable NoSchedule"
        );
      });
      await passUntil([], async () => true, 600_000);
      assert.equal((await on.client.get(resources.pods, pod)).metadata.deletionTimestamp, undefined);
    });

    async function aPodOn(nodeName: string, name: string): Promise<{ namespace: string; name: string }> {
      const pod: Pod = {
        metadata: { name, namespace },
        spec: { nodeName, containers: [{ name: "c", image: "none" }] },
      };
      await on.client.create(resources.pods, pod);
      await on.setPodStatus(namespace, name, "10.1.0.9", true);
      return { namespace, name };
    }

    /** Lets time pass, in steps in which the nodes that are alive say so, until something has come to be. */
    async function passUntil<T>(
      alive: readonly string[],
      is: () => Promise<T>,
      stepMs = 10_000,
    ): Promise<NonNullable<T>> {
      const look = async () => {
        for (const node of alive) await beat(node);
        await clock.advance(Math.min(stepMs, 10_000));
        for (let passed = 10_000; passed < stepMs; passed += 10_000) {
          for (const node of alive) await beat(node);
          await clock.advance(10_000);
        }
        return is();
      };
      return (await until(look, { what: "it to happen", everyMs: 5, timeoutMs: 20_000 })) as NonNullable<T>;
    }

    async function beat(name: string): Promise<void> {
      const ref = { namespace: "kube-node-lease", name };
      const spec = { holderIdentity: name, renewTime: new Date(clock.now()).toISOString().replace("Z", "000Z") };
      await on.client.patch(resources.leases, ref, { merge: { spec } }).catch(async (error: unknown) => {
        if (!hasCode(error, "not-found")) throw error;
        await on.client.create(resources.leases, { metadata: ref, spec });
      });
    }

    const isGone = (ref: { namespace: string; name: string }) =>
      on.client.get(resources.pods, ref).then(
        () => false,
        (error: unknown) => hasCode(error, "not-found"),
      );
  });
}

function readyOf({ status }: Pod): string | undefined {
  return status?.conditions?.find(({ type }) => type === "Ready")?.status;
}
