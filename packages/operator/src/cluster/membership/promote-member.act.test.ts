import assert from "node:assert/strict";
import { resources } from "@etcd-operator/kubernetes-client";
import {
  ApiUnderTest,
  type ClusterUnderTest,
  objectId,
  whyPostponed,
} from "@etcd-operator/testing/cluster/act-under-test.ts";
import { EtcdUnderTest } from "@etcd-operator/testing/cluster/etcd-under-test.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { afterAll, beforeAll, describe, test } from "vitest";

// The steps of one member's way from learner to leader; each test builds on the previous one.
describe("a learner", () => {
  let api: ApiUnderTest;
  let etcd: EtcdUnderTest;
  let at: ClusterUnderTest;
  let clusterId: string;
  let [idOfA, idOfB] = ["", ""];

  beforeAll(async () => {
    api = await ApiUnderTest.start();
    etcd = await EtcdUnderTest.start("3.5.16", "a");
    clusterId = await etcd.clusterId();
    at = await api.aCluster({}, { clusterID: clusterId, incarnation: 1 });
    await etcd.join("b");
    [idOfA, idOfB] = [await etcd.idOf("a"), await etcd.idOf("b")];
    await at.aPod("a", { memberId: idOfA });
    await at.aPod("b");
    for (const [name, client] of etcd.clients) at.etcd.set(name, client);
  });
  afterAll(async () => {
    await etcd?.stop();
    await api?.stop();
  });

  const promote = (id = idOfB) => ({ kind: "promote-member", member: { name: "b", id } }) as const;

  test("does not become a voter before its pod says whose data it holds", async () => {
    assert.match(whyPostponed(await at.act(await at.observe(), promote())), /is not annotated with the member ID/);
    const pod = objectId(await at.there(resources.pods, "b"));
    const identify = { kind: "identify-members", clusterId, members: [{ memberId: idOfB, pod }] } as const;
    assert.deepEqual(await at.act(await at.observe(), identify), { kind: "done" });
    assert.match(
      whyPostponed(await at.act(await at.observe(), promote("abc"))),
      /is not annotated with the member ID abc/,
    );
    assert.equal((await etcd.list()).find(({ name }) => name === "b")?.isLearner, true);
  });

  test("becomes a voter once it is in sync, and is one when asked again", async () => {
    const seen = await at.observe();
    await until(async () => (await at.act(seen, promote())).kind === "done", { what: "b to be promoted" });
    assert.equal((await etcd.list()).find(({ name }) => name === "b")?.isLearner, false);
    assert.deepEqual(await at.act(seen, promote()), { kind: "done" });
  });

  test("is open to clients as soon as it votes, and not before", async () => {
    const gateOf = async (name: string) => (await at.observe()).pods.find((pod) => pod.name === name)?.gate;
    assert.deepEqual([await gateOf("a"), await gateOf("b")], ["closed", "open"]);
  });

  test("that has not caught up waits, as etcd says", async () => {
    const peerUrls = ["http://late.example.ns.svc:2380"];
    const add = () => etcd.clientOf("a").addMember({ peerUrls, asLearner: true });
    const { id } = await until(add, { what: "etcd to take another learner" });
    await at.aPod("late", { memberId: id.toString(16) });
    const seen = await at.observe();
    const outcome = await at.act(seen, { kind: "promote-member", member: { name: "late", id: id.toString(16) } });
    assert.match(whyPostponed(outcome), /in sync with leader/);
    assert.equal((await at.observe()).pods.find((pod) => pod.name === "late")?.gate, "closed");
    await etcd.clientOf("a").removeMember(id);
    const after = await at.act(seen, { kind: "promote-member", member: { name: "late", id: id.toString(16) } });
    assert.match(whyPostponed(after), /late is not a member any more/);
  });

  test("takes the lead over, which only the leader can hand over", async () => {
    const [a, b] = [
      { name: "a", id: idOfA },
      { name: "b", id: idOfB },
    ];
    const [leader, other] = (await etcd.leader()) === "a" ? [a, b] : [b, a];
    const seen = await at.observe();
    const wrong = await at.act(seen, { kind: "move-leader", from: other, to: leader });
    assert.match(whyPostponed(wrong), /not leader/);
    assert.deepEqual(await at.act(seen, { kind: "move-leader", from: leader, to: other }), { kind: "done" });
    await until(async () => (await etcd.leader()) === other.name, { what: `${other.name} to lead` });
  });
});
