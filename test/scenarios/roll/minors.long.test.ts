import assert from "node:assert/strict";
import type { ClusterUnderTest } from "@etcd-operator/testing/scenario/cluster/cluster-under-test.ts";
import { runsVersion, whenMixed } from "@etcd-operator/testing/scenario/cluster/rolled.ts";
import { conditionOf } from "@etcd-operator/testing/scenario/cluster/settled.ts";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import { describe, test } from "vitest";

const scenario = clusterScenario();
const UP = ["3.3.25", "3.4.23", "3.5.35", "3.6.16", "3.7.3"] as const;

const sizes = [
  { size: 1, claims: false },
  { size: 3, claims: false },
  { size: 3, claims: true },
  { size: 5, claims: true },
];

async function to(cluster: ClusterUnderTest, version: string, size: number): Promise<void> {
  const began = performance.now();
  await cluster.changeSpec({ version });
  await runsVersion(cluster, { version, size });
  process.stdout.write(`  ${cluster.name} runs ${version} after ${Math.round(performance.now() - began)} ms\n`);
}

async function isRefused(cluster: ClusterUnderTest, version: string, why: RegExp): Promise<void> {
  await cluster.changeSpec({ version });
  const isTold = (text: string | undefined) => text !== undefined && why.test(text);
  await cluster.becomes(
    `to refuse ${version}`,
    ({ status, metadata }) =>
      status?.observedGeneration === metadata.generation && isTold(JSON.stringify(status?.conditions)),
    60_000,
  );
}

describe("every minor follows the one before, while clients write", { timeout: 900_000 }, () => {
  test.each(sizes)("from 3.3 to 3.7, with $size members (claims: $claims)", async ({ size, claims }) => {
    const name = `up-${size}${claims ? "-claims" : ""}`;
    const cluster = await scenario.create(name, { size, claims, version: UP[0], whenDeleted: "Delete" });
    await cluster.settled(size);
    const { status } = await cluster.get();
    const witness = await cluster.witness();
    for (const version of UP.slice(1)) {
      await witness.writesAgain();
      await to(cluster, version, size);
      witness.assertUnbroken();
    }
    assert.equal((await cluster.get()).status?.clusterID, status?.clusterID);
    await cluster.verify(witness);
    await cluster.delete();
    await cluster.isGone();
  });
});

/** What monitors do; on 3.4 and before, each such question leaves an entry in the log that 3.6 dies of. */
async function isMonitored(cluster: ClusterUnderTest): Promise<void> {
  for (const { status } of await cluster.pods()) {
    for (let times = 0; times < 20; times += 1) {
      assert.match(await (await fetch(`http://${status?.podIP}:2379/health`)).text(), /true/);
    }
  }
}

describe("every minor follows the previous one in a cluster without writes whose health is checked", {
  timeout: 900_000,
}, () => {
  test.each([
    { size: 1, claims: false },
    { size: 3, claims: false },
    { size: 3, claims: true },
  ])("from 3.3 to 3.7, with $size members (claims: $claims)", async ({ size, claims }) => {
    const name = `idle-${size}${claims ? "-claims" : ""}`;
    const cluster = await scenario.create(name, { size, claims, version: UP[0], whenDeleted: "Delete" });
    await cluster.settled(size);
    const { status } = await cluster.get();
    for (const version of UP.slice(1)) {
      await isMonitored(cluster);
      await to(cluster, version, size);
    }
    assert.equal((await cluster.get()).status?.clusterID, status?.clusterID);
    const witness = await cluster.witness();
    await witness.writesAgain();
    await cluster.verify(witness);
    await cluster.delete();
    await cluster.isGone();
  });
});

describe("going back", { timeout: 900_000 }, () => {
  test("is possible while versions are mixed, at each step", async () => {
    const cluster = await scenario.create("mixed", { version: UP[0], claims: true, whenDeleted: "Delete" });
    await cluster.settled(3);
    const witness = await cluster.witness();
    for (const [index, version] of UP.slice(1).entries()) {
      const before = UP[index] ?? version;
      await cluster.changeSpec({ version });
      await whenMixed(cluster, [before, version]);
      await to(cluster, before, 3);
      await to(cluster, version, 3);
    }
    await cluster.verify(witness);
    await cluster.delete();
    await cluster.isGone();
  });

  test.each([{ size: 1 }, { size: 3 }])(
    "by etcd's own downgrade, from 3.7 to 3.5, with $size members",
    async (given) => {
      const { size } = given;
      const name = `down-${size}`;
      const cluster = await scenario.create(name, { size, version: UP[4], claims: true, whenDeleted: "Delete" });
      await cluster.settled(size);
      const witness = await cluster.witness();
      await witness.writesAgain();
      await to(cluster, UP[3], size);
      await to(cluster, UP[2], size);
      await isRefused(cluster, UP[1], /all members run 3\.5, and etcd before 3\.6 cannot downgrade its data/);
      await cluster.changeSpec({ version: UP[2] });
      await cluster.settled(size);
      await to(cluster, UP[3], size);
      await cluster.verify(witness);
      await cluster.delete();
      await cluster.isGone();
    },
  );

  test("without volumes is refused where the pods cannot take the older version, and other edits go on", async () => {
    const cluster = await scenario.create("down-in-pods", { version: UP[3] });
    await cluster.settled(3);
    await isRefused(cluster, UP[2], /without volumes their data is lost with them/);
    await cluster.changeSpec({ version: UP[3] });
    await cluster.settled(3);
    await cluster.delete();
    await cluster.isGone();
  });
});

describe("a step that etcd does not take", { timeout: 300_000 }, () => {
  test("is refused with the upgrade path, and no member is restarted", async () => {
    const cluster = await scenario.create("skipping", { version: UP[1] });
    await cluster.settled(3);
    const [ids, uids] = [await cluster.memberIds(), await cluster.podUids()];
    const witness = await cluster.witness();
    // The API server refuses it, too; an edit that gets past it, in a cluster without a status, is refused by the
    // operator.
    await assert.rejects(cluster.changeSpec({ version: UP[3] }), /etcd moves one minor at a time/);
    await witness.writesAgain(100);
    assert.deepEqual([await cluster.memberIds(), await cluster.podUids()], [ids, uids]);
    assert.equal(conditionOf(await cluster.get(), "Available")?.status, "True");
    await to(cluster, UP[2], 3);
    await to(cluster, UP[3], 3);
    await cluster.verify(witness);
    await cluster.delete();
    await cluster.isGone();
  });

  test("is refused from a patch release that forgets which members became voters, until the newest of its minor runs", async () => {
    const cluster = await scenario.create("newest-first", { version: "3.5.16", claims: true, whenDeleted: "Delete" });
    await cluster.settled(3);
    const uids = await cluster.podUids();
    const witness = await cluster.witness();
    await isRefused(cluster, UP[3], /3\.6 would load members added under .* as learners: upgrade to 3\.5/);
    await witness.writesAgain(100);
    assert.deepEqual(await cluster.podUids(), uids);
    await to(cluster, UP[2], 3);
    await to(cluster, UP[3], 3);
    assert.ok((await cluster.members()).every(({ isLearner }) => !isLearner));
    await cluster.verify(witness);
    await cluster.delete();
    await cluster.isGone();
  });
});
