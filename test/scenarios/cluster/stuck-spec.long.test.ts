import assert from "node:assert/strict";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { describe, test } from "vitest";

const scenario = clusterScenario();
const NOWHERE = { "kubernetes.io/hostname": "nowhere" };

describe("a spec that cannot be followed can be corrected", { timeout: 240_000 }, () => {
  test("before the cluster was bootstrapped: an image that does not exist", async () => {
    const cluster = await scenario.create("no-image", { version: "3.5.99" });
    const isStuck = async () => (await cluster.pods()).length > 0;
    await until(isStuck, { what: "a pod that cannot run" });
    await cluster.becomes("to say why", ({ status }) => /image/i.test(JSON.stringify(status?.conditions)), 60_000);
    await cluster.changeSpec({ version: "3.5.16" });
    const witness = await cluster.witness();
    await cluster.settled(3);
    await cluster.verify(witness);
    await cluster.delete();
    await cluster.isGone();
  });

  test("while a member joins: a node that does not exist, and the others serve on", async () => {
    const cluster = await scenario.create("nowhere", { size: 3 });
    await cluster.settled(3);
    const before = await cluster.memberIds();
    const witness = await cluster.witness();
    await cluster.changeSpec({ size: 5, pod: { nodeSelector: NOWHERE } });
    await until(async () => (await cluster.pods()).length > 3, { what: "a pod that cannot be scheduled" });
    await cluster.becomes("to say why", ({ status }) => /node/i.test(JSON.stringify(status?.conditions)), 60_000);
    await witness.writesAgain();
    // All three are still to move to that node, so one more waits for it: a pod without a node is delayed, and not
    // replaced.
    await cluster.changeSpec({ size: 3 });
    await witness.writesAgain();
    await cluster.changeSpec({ pod: { nodeSelector: null } });
    await cluster.settled(3);
    assert.deepEqual(await cluster.memberIds(), before);
    await cluster.changeSpec({ size: 5 });
    await cluster.settled(5);
    await cluster.verify(witness);
    await cluster.delete();
    await cluster.isGone();
  });
});
