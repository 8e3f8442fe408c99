import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { runsVersion } from "@etcd-operator/testing/scenario/cluster/rolled.ts";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import type { OperatorProcess } from "@etcd-operator/testing/scenario/operator/operator-process.ts";
import { describe, test } from "vitest";
import { type Random, randomOf } from "../../model/random.ts";

const SEED = Number(process.env.SEED ?? 20_260_501);
const KILLS_A_PHASE = 5;
const LATEST_MS = 1_500;

// Patches, a minor, and one that also changes the pods.
const PHASES = [
  { version: "3.5.30" },
  { version: "3.5.35", pod: { resources: { requests: { cpu: "15m" } } } },
  { version: "3.6.16" },
  { version: "3.7.3" },
] as const;

const scenario = clusterScenario({ operator: false });

/** Kills the operator at moments of its work that the seed decides; another takes over each time. */
async function killAgainAndAgain(operator: OperatorProcess, random: Random): Promise<void> {
  for (let kill = 0; kill < KILLS_A_PHASE; kill += 1) {
    await pause(random.int(LATEST_MS));
    await operator.kill();
    await operator.start();
  }
}

describe(`an operator that is killed 20 times in the middle of rolls (seed ${SEED})`, { timeout: 900_000 }, () => {
  test.each([{ claims: false }, { claims: true }])("carries on where it was (claims: $claims)", async ({ claims }) => {
    const random = randomOf(SEED + Number(claims));
    const operator = await scenario.startOperator();
    const name = claims ? "killed-claims" : "killed";
    const cluster = await scenario.create(name, { claims, whenDeleted: "Delete" });
    const { status } = await cluster.settled(3);
    const witness = await cluster.witness();
    for (const phase of PHASES) {
      await cluster.changeSpec(phase);
      await killAgainAndAgain(operator, random);
      await runsVersion(cluster, { version: phase.version, size: 3 });
    }
    assert.equal((await cluster.get()).status?.clusterID, status?.clusterID);
    await witness.writesAgain();
    await cluster.verify(witness);
    if (claims) await cluster.hasClaimsOfMembersOnly();
    else assert.deepEqual(await cluster.claims(), []);
    await cluster.delete();
    await cluster.isGone();
    await operator.stop();
  });
});
