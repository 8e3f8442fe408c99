import assert from "node:assert/strict";
import {
  anObservation,
  healthy,
  leader,
  type MemberGiven,
  NOW_MS,
  unhealthy,
  unknown,
} from "@etcd-operator/testing/cluster/an-observation.ts";
import { describe, test } from "vitest";
import { plan } from "../plan.ts";

const down = (size: number, ...members: MemberGiven[]) => plan(anObservation({ size, members }));
const victim = (size: number, ...members: MemberGiven[]) => {
  const action = down(size, ...members);
  return action.kind === "remove-member" ? `${action.member.name} ${action.because}` : action.kind;
};
const born = (agoMs: number) => ({ pod: { createdAtMs: NOW_MS - agoMs } });

describe("scale-down removes", () => {
  test("a learner before any voter", () => {
    const learner = healthy("d", { listed: "learner", pod: { memberId: "d" } });
    assert.equal(victim(3, leader("a"), healthy("b"), healthy("c"), learner), "d surplus");
  });

  test("an unhealthy member before a healthy one", () => {
    assert.equal(victim(3, leader("a"), healthy("b"), unhealthy("c"), healthy("d")), "c surplus");
  });

  test("the youngest of the healthy ones", () => {
    assert.equal(victim(2, leader("a"), healthy("b", born(1_000)), healthy("c", born(9_000))), "b surplus");
  });

  test("never the leader while there is another", () => {
    assert.equal(victim(1, leader("a", born(1_000)), healthy("b", born(9_000))), "b surplus");
  });
});

describe("of several that are too many", () => {
  const ready = { pod: { isReady: true } };
  const others = (size: number, ...members: MemberGiven[]) => {
    const action = down(size, ...members);
    return action.kind === "remove-member" && (action.others ?? []).map(({ name }) => name);
  };
  const [a, b, c, d] = [leader("a", ready), healthy("b", ready), healthy("c", ready), healthy("d", ready)];

  test("all are removed in one action where all are healthy, one after the other", () => {
    assert.deepEqual(others(2, a, b, c, d), ["c"]);
    assert.deepEqual(others(1, a, b, c), ["c"]);
  });

  test("only one is removed where one of the members is not healthy, or does not serve", () => {
    assert.deepEqual(others(1, a, b, c, unhealthy("d")), []);
    assert.deepEqual(others(1, a, b, healthy("c", { pod: { isReady: false } })), []);
  });

  test("only one is removed where only one is surplus", () => {
    assert.deepEqual(others(3, a, b, c, d), []);
  });

  test("a leader older than 3.3, which cannot hand over, is removed alone", () => {
    const outdated = leader("a", { pod: { isReady: true, image: "quay.io/coreos/etcd:v3.2.1" } });
    const action = plan(anObservation({ size: 2, members: [outdated, b, c, d], version: "3.2.32" }));
    assert.ok(action.kind === "remove-member" && action.member.name === "a");
    assert.deepEqual(action.others ?? [], []);
  });

  test("a learner is removed alone", () => {
    const learner = healthy("e", { listed: "learner", pod: { memberId: "e" } });
    assert.deepEqual(others(2, a, b, c, learner), []);
  });
});

test("scale-down does not wait for a member that a roll has stopped at: Kubernetes says that nothing runs in its pod", () => {
  const stuck = unknown("c", { pod: { trouble: "ErrImagePull", isEtcdRunning: false } });
  assert.equal(victim(3, leader("a"), healthy("b"), stuck, healthy("d")), "c surplus");
});

describe("scale-down waits", () => {
  test("while a remaining member's health is unknown", () => {
    assert.equal(down(3, leader("a"), healthy("b"), unknown("c"), healthy("d")).kind, "hold");
  });

  test("while no member can be spared", () => {
    // Two of three are healthy, and the least useful is the third: without it both are needed, and both are there.
    assert.equal(victim(2, leader("a"), healthy("b"), unhealthy("c")), "c surplus");
  });
});

test("a leader that is to be removed hands over first", () => {
  // Both others are external to the order: the leader is the only one left to take when it is the least healthy.
  const members = [leader("a", { health: "unhealthy" }), healthy("b"), healthy("c")];
  const action = down(2, ...members);
  assert.equal(action.kind, "move-leader");
  assert.deepEqual([action.from.name, action.to.name], ["a", "b"]);
});

test("a leader older than 3.3, which cannot hand over, is removed as it is", () => {
  const members = [leader("a", { health: "unhealthy" }), healthy("b"), healthy("c")];
  const action = plan(anObservation({ size: 2, members, version: "3.2.32" }));
  assert.deepEqual(action.kind === "remove-member" && action.member.name, "a");
});

describe("a member whose pod is being deleted", () => {
  test("does not count as one that stays, though it still answers", () => {
    // Of three, one is being removed: to remove another would leave one of two.
    const leaving = healthy("b", { pod: { isTerminating: true } });
    const action = down(2, leader("a"), leaving, healthy("c"));
    assert.notEqual(action.kind === "remove-member" && action.member.name, "c");
  });
});

test("a voter stays while another one is about to restart, and both would be missing", () => {
  const restarting = { pod: { awaitsNewImage: true } };
  assert.equal(
    victim(2, leader("a"), healthy("b", restarting), healthy("c", { pod: { createdAtMs: NOW_MS } })),
    "hold",
  );
});
