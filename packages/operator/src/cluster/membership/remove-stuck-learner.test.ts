import assert from "node:assert/strict";
import { resources } from "@etcd-operator/kubernetes-client";
import { whyPostponed } from "@etcd-operator/testing/cluster/act-under-test.ts";
import { type Scene, ScenesUnderTest } from "@etcd-operator/testing/cluster/scenes-under-test.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { afterAll, beforeAll, describe, test } from "vitest";
import type { Observation } from "../model/observation.ts";

let scenes: ScenesUnderTest;

beforeAll(async () => {
  scenes = await ScenesUnderTest.start();
});
afterAll(() => scenes?.stop());

/** Two voters, and a learner that has all there is. */
async function withLearner(): Promise<Scene> {
  const scene = await scenes.running(["a", "b"]);
  const { at, etcd } = scene;
  await etcd.join("c");
  await at.aPod("c", { memberId: await etcd.idOf("c") });
  at.etcd.set("c", etcd.clientOf("c"));
  // Members report to each other their names and version after they have started.
  const indexes = async () => (await at.observe()).pods.map(({ answer }) => answer.status?.log?.index);
  const isCalm = async () => new Set([...(await indexes()), ...(await indexes())]).size === 1;
  await until(isCalm, { what: "all members to have the same log" });
  return scene;
}

/** As if the voters had more in their logs than has reached the learner. */
function behind(seen: Observation): Observation {
  const pods = seen.pods.map((pod) => {
    const { status } = pod.answer;
    if (pod.name === "c" || !status?.log) return pod;
    return {
      ...pod,
      answer: { ...pod.answer, status: { ...status, log: { ...status.log, index: status.log.index + 50 } } },
    };
  });
  return { ...seen, pods };
}

async function removeC({ at, etcd }: Scene, seen: Observation) {
  const member = { name: "c", id: await etcd.idOf("c") };
  return at.act(seen, { kind: "remove-member", member, because: "stuck-learner" });
}

describe.concurrent("a learner that etcd never promotes", () => {
  test("is removed while it answers and is where it was", async () => {
    await using scene = await withLearner();
    const { at, etcd } = scene;
    const seen = async () => behind(await at.observe());
    const remove = async () => (await removeC(scene, await seen())).kind === "done";
    await until(remove, { what: "c to be removed" });
    assert.deepEqual(await etcd.names(), ["a", "b"]);
  });

  test("stays when it has got further since it was seen", async () => {
    await using scene = await withLearner();
    const { at, etcd } = scene;
    const seen = behind(await at.observe());
    const before = seen.pods.find(({ name }) => name === "c")?.answer.status?.log?.index ?? 0;
    await etcd.etcdctl("put", "key", "value");
    const hasGotIt = async () => Number((await etcd.clientOf("c").status()).raftAppliedIndex) > before;
    await until(hasGotIt, { what: "the learner to get it" });
    assert.match(whyPostponed(await removeC(scene, seen)), /it makes progress/);
    assert.equal((await etcd.names()).includes("c"), true);
  });

  test("stays when it has all that the voters have", async () => {
    await using scene = await withLearner();
    assert.match(whyPostponed(await removeC(scene, await scene.at.observe())), /up to date with the voters/);
  });

  test("stays when it has become a voter since it was seen", async () => {
    await using scene = await withLearner();
    const { at, etcd } = scene;
    const seen = behind(await at.observe());
    const id = BigInt(`0x${await etcd.idOf("c")}`);
    const promote = () =>
      etcd
        .clientOf("a")
        .promoteMember(id)
        .then(
          () => true,
          () => false,
        );
    await until(promote, { what: "c to be promoted" });
    assert.match(whyPostponed(await removeC(scene, seen)), /it is a voter/);
    assert.deepEqual(await etcd.names(), ["a", "b", "c"]);
  });

  test("stays when it does not answer any more: its time as a member that is away has only begun", async () => {
    await using scene = await withLearner();
    const seen = behind(await scene.at.observe());
    await scene.etcd.kill("c");
    assert.match(whyPostponed(await removeC(scene, seen)), /it does not respond/);
  });

  test("stays when its pod has changed since it was seen", async () => {
    await using scene = await withLearner();
    const { at } = scene;
    const seen = behind(await at.observe());
    const { metadata } = await at.there(resources.pods, "c");
    await at.client.patchStatus(resources.pods, metadata, { merge: { status: { message: "something is new" } } });
    assert.match(whyPostponed(await removeC(scene, seen)), /has changed since it was read/);
  });
});
