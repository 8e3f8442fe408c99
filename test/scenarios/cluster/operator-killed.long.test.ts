import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { resources } from "@etcd-operator/kubernetes-client";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import { deletePods } from "@etcd-operator/testing/scenario/faults/member-faults.ts";
import type { OperatorProcess } from "@etcd-operator/testing/scenario/operator/operator-process.ts";
import { describe, test } from "vitest";
import { type Random, randomOf } from "../../model/random.ts";

const SEED = Number(process.env.SEED ?? 20_260_401);
const KILLS_A_PHASE = 5;
const LATEST_MS = 2_500;
const LEASE = { namespace: "default", name: "etcd-operator-clusters-namespaced" };
const lease = async () => (await scenario.client.get(resources.leases, LEASE)).spec;

const scenario = clusterScenario({ operator: false });

/** Kills the operator at moments of its work that the seed decides; another takes over each time. */
async function killAgainAndAgain(operator: OperatorProcess, random: Random): Promise<void> {
  for (let kill = 0; kill < KILLS_A_PHASE; kill += 1) {
    await pause(random.int(LATEST_MS));
    await operator.kill();
    await operator.start();
  }
}

describe(`an operator that is killed 20 times (seed ${SEED})`, { timeout: 600_000 }, () => {
  test.each([{ claims: false }, { claims: true }])(
    "carries on where it was, in creating, scaling and healing (claims: $claims)",
    async ({ claims }) => {
      const random = randomOf(SEED + Number(claims));
      const operator = await scenario.startOperator();
      const cluster = await scenario.create(claims ? "killed-claims" : "killed", { claims, whenDeleted: "Delete" });
      const witness = cluster.witness();
      await killAgainAndAgain(operator, random);
      const { status } = await cluster.settled(3);
      const writer = await witness;
      await cluster.changeSpec({ size: 5 });
      await killAgainAndAgain(operator, random);
      await cluster.settled(5);
      await deletePods(scenario, [(await cluster.roles()).leader]);
      await killAgainAndAgain(operator, random);
      await cluster.settled(5);
      await cluster.changeSpec({ size: 3 });
      await killAgainAndAgain(operator, random);
      const end = await cluster.settled(3);
      assert.equal(end.status?.clusterID, status?.clusterID);
      await writer.writesAgain();
      await cluster.verify(writer);
      if (claims) await cluster.hasClaimsOfMembersOnly();
      else assert.deepEqual(await cluster.claims(), []);
      await cluster.delete();
      await cluster.isGone();
      await operator.stop();
    },
  );
});

describe("an operator that is killed at the moment when pods are deleted", { timeout: 300_000 }, () => {
  test("takes its Lease back without standing by, and has the members return on their volumes", async () => {
    const operator = await scenario.startOperator({ name: "killed-with-pods" });
    const cluster = await scenario.create("killed-with-pods", { claims: true, whenDeleted: "Delete" });
    await cluster.settled(3);
    const witness = await cluster.witness();
    const [members, before] = [await cluster.memberIds(), await lease()];
    await Promise.all([operator.kill(), deletePods(scenario, await cluster.pods())]);
    await operator.start();
    await cluster.settled(3);
    assert.deepEqual(await cluster.memberIds(), members);
    const after = await lease();
    assert.notEqual(after?.holderIdentity, before?.holderIdentity);
    assert.equal(after?.leaseTransitions, (before?.leaseTransitions ?? 0) + 1);
    assert.doesNotMatch(await readFile(operator.log, "utf8"), /"standing by"/);
    await witness.writesAgain();
    await cluster.verify(witness);
    await operator.stop();
  });
});
