import assert from "node:assert/strict";
import {
  anObservation,
  CLUSTER_ID,
  healthy,
  leader,
  type ObservationGiven,
  unknown,
} from "@etcd-operator/testing/cluster/an-observation.ts";
import { conditionIn, statusAfterPasses, statusOf, verdictIn } from "@etcd-operator/testing/cluster/status-of.ts";
import { describe, test } from "vitest";

const NEW = { clusterID: CLUSTER_ID, incarnation: 1, phase: "Creating" } as const;

describe("Scaling", () => {
  const cases: [what: string, given: ObservationGiven, verdict: string][] = [
    ["there are as many as asked for", {}, "False AsSpecified"],
    ["more are asked for", { size: 5 }, "True ScalingUp"],
    ["fewer are asked for", { size: 1 }, "True ScalingDown"],
    [
      "the last one is still a learner",
      { members: [leader("a"), healthy("b", { listed: "learner" })], size: 2 },
      "True ScalingUp",
    ],
    ["the first of three serves clients", { status: NEW, members: [leader("a")], size: 3 }, "True ScalingUp"],
    [
      "the cluster is being created",
      { status: NEW, members: [unknown("a")], size: 3, membership: "unknown" },
      "False Creating",
    ],
    ["the members are unknown", { members: [unknown("a")], size: 3, membership: "unknown" }, "False SizeUnknown"],
    ["the spec cannot be trusted", { size: 5, seen: { problems: ["spec.size: wrong"] } }, "False InvalidSpec"],
  ];
  for (const [what, given, verdict] of cases) {
    test(`is ${verdict} when ${what}`, () => {
      assert.equal(verdictIn(statusOf(anObservation(given)), "Scaling"), verdict);
    });
  }

  test("has the words of coreos/etcd-operator", () => {
    const { message } = conditionIn(statusOf(anObservation({ size: 5 })), "Scaling");
    assert.equal(message, "Current cluster size: 3, desired cluster size: 5");
  });

  test("reports that nothing moves while the cluster is paused", () => {
    const { message = "" } = conditionIn(statusOf(anObservation({ size: 5, spec: { paused: true } })), "Scaling");
    assert.match(message, /spec\.paused is set$/);
  });

  test("goes on when a member has a hiccup on the way", () => {
    const one = { members: [leader("a")], size: 3 };
    const hiccup = { members: [unknown("a")], size: 3, membership: "unknown" } as const;
    const status = statusAfterPasses({ ...one, status: NEW }, hiccup, one);
    assert.deepEqual(
      [verdictIn(status, "Scaling"), verdictIn(status, "Recovering")],
      ["True ScalingUp", "False NoMemberMissing"],
    );
  });
});
