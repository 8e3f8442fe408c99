import assert from "node:assert/strict";
import {
  anObservation,
  gone,
  healthy,
  leader,
  type ObservationGiven,
  unhealthy,
  unknown,
} from "@etcd-operator/testing/cluster/an-observation.ts";
import { RUNNING, statusAfterPasses, statusOf, verdictIn } from "@etcd-operator/testing/cluster/status-of.ts";
import { describe, test } from "vitest";
import type { Action } from "../model/action.ts";

const join = (name: string) => ({ memberIntents: [{ name, incarnation: 1, purpose: "Join" as const }] });
const two = { members: [leader("a"), healthy("b")], size: 3 };
const three = { members: [leader("a"), healthy("b"), healthy("c")], size: 3 };
const removal: Action = {
  kind: "remove-member",
  member: { name: "c", id: "c" },
  because: "dead",
  reason: "WaitingForMembers",
  message: "m",
};

describe("Recovering", () => {
  const cases: [what: string, given: ObservationGiven, verdict: string][] = [
    ["all are healthy", {}, "False NoMemberMissing"],
    ["a member is gone", { members: [leader("a"), healthy("b"), gone("c")] }, "True MemberNotHealthy"],
    ["a member is not healthy", { members: [leader("a"), healthy("b"), unhealthy("c")] }, "True MemberNotHealthy"],
    [
      "a member comes back",
      { members: [leader("a"), healthy("b"), unknown("c", { pod: { stage: "pending" } })] },
      "True MemberNotHealthy",
    ],
    [
      "no member responds",
      { members: [unknown("a"), unknown("b"), unknown("c")], membership: "unconfirmed" },
      "True MemberNotHealthy",
    ],
    [
      "a learner joins",
      { members: [leader("a"), healthy("b"), unknown("c", { listed: "learner" })], size: 3 },
      "False NoMemberMissing",
    ],
    [
      "a voter joins",
      { status: { ...RUNNING, ...join("b") }, members: [leader("a"), unknown("b")], size: 2 },
      "False NoMemberMissing",
    ],
    [
      "a voter was added and has not started",
      { members: [leader("a"), healthy("b"), unknown("c", { listed: "unstarted-voter" })] },
      "False NoMemberMissing",
    ],
    [
      "the cluster is being created",
      { status: { ...RUNNING, phase: "Creating" }, members: [unknown("a")], membership: "unknown" },
      "False Creating",
    ],
    ["no member can be replaced any more", { members: [unhealthy("a"), gone("b"), gone("c")] }, "False MajorityLost"],
  ];
  for (const [what, given, verdict] of cases) {
    test(`is ${verdict} when ${what}`, () => {
      assert.equal(verdictIn(statusOf(anObservation(given)), "Recovering"), verdict);
    });
  }

  test("lasts from the removal of a dead member until another has taken its place", () => {
    const dead = anObservation({ status: statusAfterPasses(three), members: [leader("a"), healthy("b"), gone("c")] });
    const removed = statusOf(dead, removal);
    const learner = { members: [...two.members, unknown("d", { listed: "learner" })], size: 3 };
    const joined = { members: [...two.members, healthy("d")] };
    assert.equal(verdictIn(removed, "Recovering"), "True MemberMissing");
    assert.equal(verdictIn(removed, "Scaling"), "False MemberMissing");
    assert.equal(verdictIn(statusAfterPasses({ ...two, status: removed }), "Recovering"), "True MemberMissing");
    assert.equal(
      verdictIn(statusAfterPasses({ ...two, status: removed }, two, learner), "Recovering"),
      "True MemberMissing",
    );
    assert.equal(
      verdictIn(statusAfterPasses({ ...two, status: removed }, two, learner, joined), "Recovering"),
      "False NoMemberMissing",
    );
  });

  test("is known even if the removal was never written down", () => {
    assert.equal(verdictIn(statusAfterPasses({ ...three, status: RUNNING }, two), "Recovering"), "True MemberMissing");
  });

  test("does not hide that the user asks for more members", () => {
    const down = { members: [leader("a"), healthy("b"), gone("c")], size: 5 };
    const status = statusAfterPasses({ ...three, status: RUNNING }, down);
    assert.equal(verdictIn(status, "Recovering"), "True MemberNotHealthy");
    assert.equal(verdictIn(status, "Scaling"), "True ScalingUp");
  });
});
