import assert from "node:assert/strict";
import type { Stored } from "@etcd-operator/kubernetes-client";
import type { ClusterUnderTest } from "@etcd-operator/testing/scenario/cluster/cluster-under-test.ts";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import { deletePods, signalEtcd, volumeFolder, wipe } from "@etcd-operator/testing/scenario/faults/member-faults.ts";
import { staysSo } from "@etcd-operator/testing/scenario/stays-so.ts";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { describe, test } from "vitest";

const scenario = clusterScenario();

type Forget = (cluster: ClusterUnderTest, pod: Stored<Pod>) => Promise<void>;

/** While its pod is away. */
const wipedWhileAway: Forget = async (cluster, pod) => {
  const folder = await volumeFolder(scenario, pod);
  await cluster.changeSpec({ paused: true });
  await cluster.becomes("to be paused", ({ status }) => status?.controlPaused === true);
  await deletePods(scenario, [pod]);
  await wipe(folder);
  await cluster.changeSpec({ paused: false });
};

/** While its container runs; it then restarts in its pod. */
const wipedInPlace: Forget = async (_, pod) => {
  await signalEtcd(scenario, pod, "SIGSTOP");
  await wipe(await volumeFolder(scenario, pod));
  await signalEtcd(scenario, pod, "SIGKILL");
};

/**
 * A follower is cut off and misses writes, which the leader and the other follower acknowledge. That other follower
 * loses its disk, the leader stalls, and the one that was cut off comes back: the two of them have a majority, and
 * neither has the writes.
 */
async function goThrough(name: string, which: "initial member" | "last to join", forget: Forget): Promise<void> {
  const cluster = await scenario.create(name, { claims: true, whenDeleted: "Delete" });
  await cluster.settled(3);
  const witness = await cluster.witness();
  await witness.writesAgain(50);
  const forgetful = await follower(cluster, which);
  const { leader, followers } = await cluster.roles();
  const behind = followers.find(({ metadata }) => metadata.uid !== forgetful.metadata.uid);
  assert.ok(behind);
  await scenario.faults.isolate(behind.metadata.uid);
  await witness.writesAgain(200);
  await signalEtcd(scenario, leader, "SIGSTOP");
  await forget(cluster, forgetful);
  await scenario.faults.heal();
  // Long enough for a container that was kept waiting, an election, and a reader to miss what was acknowledged.
  await staysSo(async () => witness.assertUnbroken(), { forMs: 35_000 });
  await signalEtcd(scenario, leader, "SIGCONT");
  await witness.writesAgain();
  await cluster.settled(3);
  await cluster.verify(witness);
  await cluster.delete();
  await cluster.isGone();
}

/** Moves the leadership away from a certain member. */
async function follower(cluster: ClusterUnderTest, which: "initial member" | "last to join"): Promise<Stored<Pod>> {
  const isInitial = ({ spec }: Pod) =>
    spec?.containers[0]?.command?.some((flag) => flag.startsWith("--initial-cluster-token="));
  const byAge = [...(await cluster.pods())].sort((one, other) =>
    one.metadata.creationTimestamp.localeCompare(other.metadata.creationTimestamp),
  );
  const wanted = which === "initial member" ? byAge.find(isInitial) : byAge.at(-1);
  const { leader, followers } = await cluster.roles();
  assert.ok(wanted && followers[0]);
  if (leader.metadata.uid === wanted.metadata.uid) {
    const heir = (await cluster.memberIds())[followers[0].metadata.name];
    assert.ok(heir !== undefined);
    await cluster.ask(leader, (client) => client.moveLeader(heir));
  }
  return wanted;
}

describe("one lost disk costs no acknowledged write, not even when the leader stalls at the same time", () => {
  test.each(["initial member", "last to join"] as const)(
    "of the %s, which returns to an empty volume",
    { timeout: 300_000 },
    async (which) => {
      await goThrough(`away-${which.replaceAll(" ", "-")}`, which, wipedWhileAway);
    },
  );

  test.each(["initial member", "last to join"] as const)(
    "of the %s, whose container restarts on an empty volume",
    { timeout: 300_000 },
    async (which) => {
      await goThrough(`in-place-${which.replaceAll(" ", "-")}`, which, wipedInPlace);
    },
  );
});
