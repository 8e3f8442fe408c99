import assert from "node:assert/strict";
import {
  anObservation,
  healthy,
  leader,
  type MemberGiven,
  unknown,
} from "@etcd-operator/testing/cluster/an-observation.ts";
import { describe, test } from "vitest";
import { plan } from "../plan.ts";

const learner = (more: Partial<MemberGiven> = {}) =>
  healthy("b", { listed: "learner", pod: { memberId: "b" }, ...more });
const kindOf = (size: number, ...members: MemberGiven[]) => plan(anObservation({ size, members })).kind;

describe("a learner", () => {
  test("becomes a voter when its pod says whose data it holds", () => {
    const action = plan(anObservation({ members: [leader("a"), learner()] }));
    assert.equal(action.kind, "promote-member");
    assert.deepEqual(action.member, { name: "b", id: "b" });
  });

  test("is promoted whether or not the kubelet finds it ready: from 3.5.19 on a learner never is", () => {
    assert.equal(kindOf(2, leader("a"), learner({ pod: { memberId: "b", isReady: false } })), "promote-member");
  });

  test("is not promoted while it does not answer, because it would be a voter that is down", () => {
    assert.notEqual(kindOf(2, leader("a"), learner({ health: "unknown" })), "promote-member");
  });

  test("is not promoted when it would cost the majority", () => {
    // 2 of 3 are up; with the learner 3 of 4, which is a majority. With two of four up it is not seen as one at all.
    assert.equal(kindOf(4, leader("a"), healthy("c"), unknown("d"), learner()), "promote-member");
  });

  test("is not promoted when there are voters enough: it is removed", () => {
    assert.equal(kindOf(1, leader("a"), learner()), "remove-member");
  });
});

test("a learner whose pod is being deleted is not promoted: the others would wait for it", () => {
  assert.notEqual(kindOf(2, leader("a"), learner({ pod: { memberId: "b", isTerminating: true } })), "promote-member");
});
