import assert from "node:assert/strict";
import { resources } from "@etcd-operator/kubernetes-client";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import { podIsGone, signalEtcd } from "@etcd-operator/testing/scenario/faults/member-faults.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { describe, test } from "vitest";

const scenario = clusterScenario();

// A node that is cut off, unlike one that is switched off: the pod cannot be reached, it hangs in its deletion, and its
// process is still there and may wake up any time.
describe.each([{ claims: true }, { claims: false }])(
  "a pod on a node that is out of reach (claims: $claims)",
  ({ claims }) => {
    test("hangs in its deletion and is replaced in time; when it wakes up it is no member any more", {
      timeout: 300_000,
    }, async () => {
      const name = claims ? "unreachable-claims" : "unreachable";
      const cluster = await scenario.create(name, { claims, replaceAfterSeconds: 10, whenDeleted: "Delete" });
      await cluster.settled(3);
      const witness = await cluster.witness();
      await witness.writesAgain(100);
      const { leader: victim } = await cluster.roles();
      await scenario.faults.isolate(victim.metadata.uid);
      await signalEtcd(scenario, victim, "SIGSTOP");
      await scenario.client.delete(resources.pods, victim.metadata, { gracePeriodSeconds: 3_600 });
      const isReplaced = async () => {
        const names = await cluster.memberNames();
        return names.length === 3 && !names.includes(victim.metadata.name);
      };
      await until(isReplaced, { what: "another to take its place", timeoutMs: 120_000 });
      const stuck = (await cluster.pods()).find(({ metadata }) => metadata.uid === victim.metadata.uid);
      assert.ok(stuck?.metadata.deletionTimestamp, "the deletion of a pod that may still run must not be forced");
      await witness.writesAgain();
      await signalEtcd(scenario, victim, "SIGCONT");
      await scenario.faults.heal();
      await podIsGone(scenario, victim);
      await cluster.settled(3);
      await cluster.verify(witness);
      await cluster.delete();
      await cluster.isGone();
    });
  },
);
