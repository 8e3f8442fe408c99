import assert from "node:assert/strict";
import type { ClusterUnderTest } from "@etcd-operator/testing/scenario/cluster/cluster-under-test.ts";
import { runsVersion, whenMixed } from "@etcd-operator/testing/scenario/cluster/rolled.ts";
import { conditionOf } from "@etcd-operator/testing/scenario/cluster/settled.ts";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import { staysSo } from "@etcd-operator/testing/scenario/stays-so.ts";
import { describe, test } from "vitest";

const scenario = clusterScenario();
const NOBODY_HAS = "3.5.99";

/** The cause in the kubelet's own words, and which member it concerns. */
async function saysWhy(cluster: ClusterUnderTest): Promise<void> {
  const words = /-[0-9a-z]{10} \(container etcd cannot start: (ErrImagePull|ImagePullBackOff): .*3\.5\.99/;
  const isTold = (seen: Awaited<ReturnType<ClusterUnderTest["get"]>>) =>
    words.test(conditionOf(seen, "Degraded")?.message ?? "");
  await cluster.becomes("to say why", isTold, 60_000);
}

/** The roll stops at the first member that does not come up, and says so; the others serve on. */
async function halts(cluster: ClusterUnderTest): Promise<void> {
  await saysWhy(cluster);
  await staysSo(
    async () => {
      const taken = (await cluster.pods()).filter((pod) => JSON.stringify(pod.spec).includes(NOBODY_HAS));
      assert.equal(taken.length, 1, "members that were given a version without an image");
      assert.ok((await cluster.answers()).length >= 2);
    },
    // Longer than a member may be gone before it is replaced.
    { forMs: 20_000 },
  );
}

describe("a version that cannot be had stops the roll at one member", { timeout: 400_000 }, () => {
  test.each([{ claims: false }, { claims: true }])(
    "half-way, is corrected, comes again, and is withdrawn (claims: $claims)",
    async ({ claims }) => {
      const name = claims ? "unpullable-claims" : "unpullable";
      const cluster = await scenario.create(name, { claims, whenDeleted: "Delete", replaceAfterSeconds: 10 });
      await cluster.settled(3);
      const ids = await cluster.memberIds();
      const witness = await cluster.witness();
      await cluster.changeSpec({ version: "3.5.30" });
      await whenMixed(cluster, ["3.5.16", "3.5.30"]);
      await cluster.changeSpec({ version: NOBODY_HAS });
      await halts(cluster);
      await witness.writesAgain();
      await cluster.changeSpec({ version: "3.5.35" });
      await runsVersion(cluster, { version: "3.5.35", size: 3 });
      await cluster.changeSpec({ version: NOBODY_HAS });
      await halts(cluster);
      await witness.writesAgain();
      await cluster.changeSpec({ version: "3.5.35" });
      await runsVersion(cluster, { version: "3.5.35", size: 3 });
      assert.deepEqual(await cluster.memberIds(), ids);
      await cluster.verify(witness);
      await cluster.delete();
      await cluster.isGone();
    },
  );

  test("and a single member, which can be spared only when another has come, serves on all the while", async () => {
    const cluster = await scenario.create("unpullable-single", { size: 1 });
    await cluster.settled(1);
    const ids = await cluster.memberIds();
    const witness = await cluster.witness();
    await cluster.changeSpec({ version: NOBODY_HAS });
    await saysWhy(cluster);
    await witness.writesAgain(100);
    await cluster.changeSpec({ version: "3.5.16" });
    await runsVersion(cluster, { version: "3.5.16", size: 1 });
    assert.deepEqual(await cluster.memberIds(), ids);
    await cluster.changeSpec({ version: NOBODY_HAS });
    await saysWhy(cluster);
    await cluster.changeSpec({ version: "3.5.30" });
    await runsVersion(cluster, { version: "3.5.30", size: 1 });
    await cluster.verify(witness);
    await cluster.delete();
    await cluster.isGone();
  });
});
