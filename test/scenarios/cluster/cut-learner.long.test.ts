import assert from "node:assert/strict";
import type { Stored } from "@etcd-operator/kubernetes-client";
import type { ClusterUnderTest } from "@etcd-operator/testing/scenario/cluster/cluster-under-test.ts";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import { deletePods } from "@etcd-operator/testing/scenario/faults/member-faults.ts";
import { until } from "@etcd-operator/testing/until.ts";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { test } from "vitest";

const scenario = clusterScenario();

/** Many times what is in the log of a new cluster: etcd promotes a learner that has nine tenths. */
const WRITES = 1_000;
/** A learner has ten minutes without progress; a slow machine is no failure. */
const PATIENCE_MS = 840_000;

test("a learner whose peer port is cut does not keep a lost voter from being removed, and is replaced in time", {
  timeout: 1_200_000,
}, async () => {
  const cluster = await scenario.create("cut-learner", { replaceAfterSeconds: 10 });
  await cluster.settled(3);
  const learner = await joinedButNotPromoted(cluster);
  const { leader, followers } = await cluster.roles();
  // Members use nothing but the peer port between them; clients and the operator still reach each of them.
  for (const voter of [leader, ...followers]) await scenario.faults.part(onNetwork(learner), onNetwork(voter));
  const cutMs = performance.now();
  const witness = await cluster.witness();
  await witness.writesAgain(WRITES);
  const id = await learnerId(cluster, learner);
  await cluster.changeSpec({ paused: false });

  const [lost] = followers;
  assert.ok(lost);
  await deletePods(scenario, [lost], 0);
  await cluster.areRemoved([lost], 60_000);
  tell(`a lost voter was removed beside the learner ${seconds(cutMs)} s after the cut`);
  assert.equal(await learnerId(cluster, learner), id, "the learner has its time");

  await cluster.areRemoved([learner], PATIENCE_MS);
  tell(`the learner was removed ${seconds(cutMs)} s after the cut`);
  // The next one may get its address.
  await scenario.faults.rejoin(...[leader, ...followers].map(({ metadata }) => metadata.uid));
  await cluster.settled(4);
  tell(`all was well ${seconds(cutMs)} s after the cut`);
  const words = (await cluster.events()).map(({ message }) => message);
  const removal = new RegExp(`${learner.metadata.name} .*: etcd does not promote it, and its log has stopped at index`);
  assert.ok(
    words.some((message) => removal.test(message)),
    words.join("\n"),
  );
  await witness.writesAgain();
  await cluster.verify(witness);
  await cluster.delete();
  await cluster.isGone();
});

/** Has another member join, and keeps the operator from making a voter of it. */
async function joinedButNotPromoted(cluster: ClusterUnderTest): Promise<Stored<Pod>> {
  const before = await cluster.podUids();
  await cluster.changeSpec({ size: 4 });
  const isNew = ({ metadata }: Stored<Pod>) => !before.includes(metadata.uid);
  await until(async () => (await cluster.pods()).find(isNew), { what: "a member to join", everyMs: 5 });
  await cluster.changeSpec({ paused: true });
  await cluster.becomes("to be paused", ({ status }) => status?.controlPaused === true);
  // It has a name in the list once it has started, and its pod an address.
  return until(
    async () => {
      const pod = (await cluster.pods()).find(isNew);
      const isStarted = pod && (await learnerId(cluster, pod)) !== undefined;
      return isStarted && pod.status?.podIP ? pod : undefined;
    },
    { what: "the learner to start", everyMs: 100 },
  );
}

/** Undefined while it has not started, and once it votes or is gone. */
async function learnerId(cluster: ClusterUnderTest, { metadata }: Stored<Pod>): Promise<bigint | undefined> {
  const members = await cluster.members();
  return members.find(({ name, isLearner }) => name === metadata.name && isLearner)?.id;
}

function onNetwork({ metadata, status }: Stored<Pod>) {
  return { uid: metadata.uid, ip: status?.podIP ?? "" };
}

function seconds(sinceMs: number): number {
  return Math.round((performance.now() - sinceMs) / 1_000);
}

function tell(what: string): void {
  process.stdout.write(`  ${what}\n`);
}
