import assert from "node:assert/strict";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import { describe, test } from "vitest";

const scenario = clusterScenario();

describe("a cluster that is resized", { timeout: 300_000 }, () => {
  test("goes 3→5→3→1→3 while clients write, loses none of it, and leaves no claim of a member that went", async () => {
    const cluster = await scenario.create("resize", { claims: true, whenDeleted: "Delete" });
    const witness = await cluster.witness();
    await cluster.settled(3);
    const first = await cluster.memberNames();
    for (const size of [5, 3, 1, 3]) {
      await cluster.changeSpec({ size });
      await cluster.settled(size);
      await witness.writesAgain();
      await witness.check(await cluster.voters());
      await cluster.hasClaimsOfMembersOnly();
      if (size === 5)
        assert.deepEqual(
          (await cluster.memberNames()).filter((name) => first.includes(name)),
          first,
        );
    }
    await cluster.verify(witness);
    await cluster.delete();
    await cluster.isGone();
  });

  test("follows a second change of mind before the first is done, by kubectl scale", async () => {
    const cluster = await scenario.create("wavering", { size: 1 });
    const witness = await cluster.witness();
    await cluster.settled(1);
    const scale = (size: number) => scenario.kubectl("scale", "etcd/wavering", `--replicas=${size}`);
    await scale(5);
    await cluster.becomes("to have begun", ({ status }) => (status?.size ?? 0) > 1);
    await scale(2);
    await cluster.settled(2);
    await cluster.verify(witness);
    await cluster.delete();
    await cluster.isGone();
  });
});
