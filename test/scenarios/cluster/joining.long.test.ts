import { setTimeout as pause } from "node:timers/promises";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import { deletePods, signalEtcd } from "@etcd-operator/testing/scenario/faults/member-faults.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { describe, test } from "vitest";
import { randomOf } from "../../model/random.ts";

const SEED = Number(process.env.SEED ?? 20_260_402);
const ROUNDS = 8;

const scenario = clusterScenario();

describe(`a member that is lost while it joins (seed ${SEED})`, { timeout: 400_000 }, () => {
  test.each([{ claims: false }, { claims: true }])(
    "is followed by another, and leaves no ghost in the list of members (claims: $claims)",
    async ({ claims }) => {
      const random = randomOf(SEED + Number(claims));
      const name = claims ? "joining-claims" : "joining";
      const cluster = await scenario.create(name, { size: 2, claims, whenDeleted: "Delete", replaceAfterSeconds: 10 });
      await cluster.settled(2);
      const witness = await cluster.witness();
      for (let round = 0; round < ROUNDS; round += 1) {
        const before = await cluster.podUids();
        await cluster.changeSpec({ size: 3 });
        const newcomer = await until(
          async () => (await cluster.pods()).find(({ metadata }) => !before.includes(metadata.uid)),
          { what: "a member to join", everyMs: 5 },
        );
        await pause(random.int(1_500));
        if (random.chance(0.5)) await deletePods(scenario, [newcomer], random.pick([0, 30]));
        else await signalEtcd(scenario, newcomer, "SIGKILL").catch(() => undefined);
        await cluster.settled(3);
        await witness.writesAgain();
        await cluster.changeSpec({ size: 2 });
        await cluster.settled(2);
      }
      await cluster.verify(witness);
      await cluster.delete();
      await cluster.isGone();
    },
  );
});
