import { setTimeout as pause } from "node:timers/promises";
import { resources } from "@etcd-operator/kubernetes-client";
import type { ClusterUnderTest } from "@etcd-operator/testing/scenario/cluster/cluster-under-test.ts";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import { signalEtcd } from "@etcd-operator/testing/scenario/faults/member-faults.ts";
import type { OperatorProcess } from "@etcd-operator/testing/scenario/operator/operator-process.ts";
import { describe, test } from "vitest";
import { randomOf } from "../../model/random.ts";

const SEED = Number(process.env.SEED ?? 20_260_403);
const STEPS = Number(process.env.STEPS ?? 30);

const scenario = clusterScenario({ operator: false });
const random = randomOf(SEED);

/** Any of these may be done at any time to members that have a volume, and nothing may be lost. */
const troubles: Readonly<Record<string, (cluster: ClusterUnderTest, operator: OperatorProcess) => Promise<unknown>>> = {
  async "kills members"(cluster) {
    await Promise.all((await some(cluster)).map((pod) => signalEtcd(scenario, pod, "SIGKILL").catch(() => undefined)));
  },
  async "deletes pods"(cluster) {
    const gone = (await some(cluster)).map(({ metadata }) =>
      scenario.client.delete(resources.pods, metadata, { gracePeriodSeconds: random.pick([0, 1, 30]) }),
    );
    await Promise.allSettled(gone);
  },
  async "cuts members off"(cluster) {
    for (const { metadata } of await some(cluster)) await scenario.faults.isolate(metadata.uid).catch(() => undefined);
    await pause(random.int(10_000));
    await scenario.faults.heal();
  },
  async "freezes members"(cluster) {
    const frozen = await some(cluster);
    const signal = (name: NodeJS.Signals) =>
      Promise.all(frozen.map((pod) => signalEtcd(scenario, pod, name).catch(() => undefined)));
    await signal("SIGSTOP");
    await pause(random.int(6_000));
    await signal("SIGCONT");
  },
  resizes: (cluster) => cluster.changeSpec({ size: 1 + random.int(5) }),
  async pauses(cluster) {
    await cluster.changeSpec({ paused: true });
    await pause(random.int(3_000));
    await cluster.changeSpec({ paused: false });
  },
  async "kills the operator"(_, operator) {
    await operator.kill();
    await operator.start();
  },
  async "freezes the operator"(_, operator) {
    operator.freeze();
    await pause(random.int(20_000));
    operator.thaw();
  },
};

async function some(cluster: ClusterUnderTest) {
  const pods = await cluster.pods();
  const chosen = random.some(pods);
  return chosen.length > 0 ? chosen : pods.slice(0, 1);
}

describe(`whatever happens (seed ${SEED})`, () => {
  test(`a cluster on claims goes through ${STEPS} troubles and loses nothing`, { timeout: 1_200_000 }, async () => {
    const operator = await scenario.startOperator();
    const cluster = await scenario.create("tried", { claims: true, whenDeleted: "Delete", replaceAfterSeconds: 20 });
    await cluster.settled(3);
    const witness = await cluster.witness();
    for (let step = 0; step < STEPS; step += 1) {
      const name = random.pick(Object.keys(troubles)) ?? "";
      process.stdout.write(`  ${new Date().toISOString()} ${step}: ${name}\n`);
      // After being frozen it ends by itself, when it finds that it may have lost its Lease.
      await operator.revive();
      await troubles[name]?.(cluster, operator);
      await pause(random.int(4_000));
      witness.assertUnbroken();
    }
    await operator.stop();
    await operator.start();
    await cluster.changeSpec({ size: 3 });
    await cluster.settled(3, 400_000);
    await witness.writesAgain();
    await cluster.verify(witness);
    await cluster.hasClaimsOfMembersOnly();
    await cluster.delete();
    await cluster.isGone();
  });
});
