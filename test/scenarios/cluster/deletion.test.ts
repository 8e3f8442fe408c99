import assert from "node:assert/strict";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import { staysSo } from "@etcd-operator/testing/scenario/stays-so.ts";
import { describe, test } from "vitest";

const scenario = clusterScenario();

describe("a cluster that is deleted", { timeout: 180_000 }, () => {
  test("comes back with its data and its members when it is created again at once", async () => {
    const first = await scenario.create("back", { claims: true });
    const witness = await first.witness();
    const { status } = await first.settled(3);
    const oldMembers = await first.memberNames();
    await first.delete();
    const second = await scenario.create("back", { claims: true, whenDeleted: "Delete" });
    const settled = await second.settled(3);
    assert.equal(settled.status?.clusterID, status?.clusterID);
    assert.deepEqual([...(await second.memberNames())].sort(), [...oldMembers].sort());
    // The witness reads back all that was acknowledged before.
    await second.verify(witness);
    await second.delete();
    await second.isGone();
  });

  test("is another cluster where its spec says to ignore the volumes, and the claims of the first are kept untouched", async () => {
    const first = await scenario.create("again", { claims: true });
    const { status } = await first.settled(3);
    const oldMembers = await first.memberNames();
    await first.delete();
    const options = { claims: true, whenDeleted: "Delete", onExistingVolumes: "Ignore" } as const;
    const second = await scenario.create("again", options);
    const witness = await second.witness();
    const settled = await second.settled(3);
    assert.notEqual(settled.status?.clusterID, status?.clusterID);
    assert.deepEqual(
      (await second.memberNames()).filter((name) => oldMembers.includes(name)),
      [],
    );
    await second.verify(witness);
    await second.delete();
    await second.isGone({ keepsClaims: true });
    await staysSo(
      async () => {
        const claims = await second.claims();
        const kept = claims.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
        assert.deepEqual(kept.map(({ metadata }) => metadata.name).sort(), oldMembers);
        for (const { metadata } of kept) assert.deepEqual(metadata.ownerReferences ?? [], []);
      },
      { forMs: 2_000 },
    );
  });

  test("leaves nothing behind when it goes before its first member is ready", async () => {
    const cluster = await scenario.create("hardly-begun", { claims: true, whenDeleted: "Delete" });
    await cluster.becomes("to have begun", ({ status }) => (status?.memberIntents ?? []).length > 0);
    await cluster.delete();
    await cluster.isGone();
    await staysSo(async () => assert.deepEqual([...(await cluster.pods()), ...(await cluster.claims())], []), {
      forMs: 2_000,
    });
  });
});
