import assert from "node:assert/strict";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import { deletePods } from "@etcd-operator/testing/scenario/faults/member-faults.ts";
import { staysSo } from "@etcd-operator/testing/scenario/stays-so.ts";
import { describe, test } from "vitest";

const scenario = clusterScenario();

describe("a cluster that is paused", { timeout: 180_000 }, () => {
  test("is reported on and left alone, and everything is made up for when it is resumed", async () => {
    const cluster = await scenario.create("paused", { size: 3 });
    const witness = await cluster.witness();
    await cluster.settled(3);
    await cluster.changeSpec({ paused: true });
    await cluster.becomes("to be paused", ({ status }) => status?.controlPaused === true);
    const { followers } = await cluster.roles();
    await deletePods(scenario, followers.slice(0, 1));
    await cluster.changeSpec({ size: 4 });
    const left = (await cluster.pods()).map(({ metadata }) => metadata.uid).sort();
    assert.equal(left.length, 2);
    await staysSo(
      async () => assert.deepEqual((await cluster.pods()).map(({ metadata }) => metadata.uid).sort(), left),
      { forMs: 8_000 },
    );
    assert.equal((await cluster.members()).length, 3);
    await cluster.becomes("to call two members ready", ({ status }) => status?.readyMembers === 2);
    await witness.writesAgain();
    await cluster.changeSpec({ paused: false });
    const resumed = await cluster.settled(4);
    assert.ok(!resumed.status?.controlPaused);
    await cluster.verify(witness);
    await cluster.delete();
    await cluster.isGone();
  });

  test("is not even begun when it is paused from the start", async () => {
    const cluster = await scenario.create("never-begun", { size: 1, paused: true });
    await cluster.becomes("to be paused", ({ status }) => status?.controlPaused === true);
    assert.deepEqual(await cluster.pods(), []);
    await cluster.changeSpec({ paused: false });
    await cluster.settled(1);
    await cluster.delete();
    await cluster.isGone();
  });
});
