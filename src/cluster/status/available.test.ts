import assert from "node:assert/strict";
import { describe, test } from "vitest";
import {
  anObservation,
  CLUSTER_ID,
  gone,
  healthy,
  leader,
  type ObservationGiven,
  unhealthy,
  unknown,
} from "../../../test/support/cluster/an-observation.ts";
import { conditionIn, statusOf, verdictIn } from "../../../test/support/cluster/status-of.ts";

const NEW = { clusterID: CLUSTER_ID, incarnation: 1, phase: "Creating" } as const;

describe("Available", () => {
  const cases: [what: string, given: ObservationGiven, verdict: string][] = [
    ["all are healthy", {}, "True MajorityHealthy"],
    ["two of three are healthy", { members: [leader("a"), healthy("b"), gone("c")] }, "True MajorityHealthy"],
    ["one of three is healthy", { members: [healthy("a"), unhealthy("b"), unknown("c")] }, "False NoMajority"],
    [
      "two of four are healthy",
      { members: [leader("a"), healthy("b"), unknown("c"), unknown("d")] },
      "False NoMajority",
    ],
    [
      "a learner makes up the number",
      { members: [leader("a"), unknown("b"), healthy("c", { listed: "learner" })] },
      "False NoMajority",
    ],
    ["no majority confirms the list", { membership: "unconfirmed" }, "False MembershipUnconfirmed"],
    ["the data of a majority is gone", { members: [unhealthy("a"), gone("b"), gone("c")] }, "False MajorityLost"],
    [
      "a founder has not answered yet",
      { status: {}, members: [unknown("a")], membership: "unknown" },
      "False Creating",
    ],
    ["no gate has opened yet", { status: NEW, members: [leader("a", { pod: { isReady: false } })] }, "False Creating"],
    ["the first of three serves clients", { status: NEW, members: [leader("a")], size: 3 }, "True MajorityHealthy"],
    [
      "no pod is ready, but the members are well",
      { members: [leader("a", { pod: { isReady: false } })] },
      "True MajorityHealthy",
    ],
  ];
  for (const [what, given, verdict] of cases) {
    test(`is ${verdict} when ${what}`, () => {
      assert.equal(verdictIn(statusOf(anObservation(given)), "Available"), verdict);
    });
  }

  test("is False InvalidSpec when there is no cluster because of its spec", () => {
    const seen = anObservation({ status: {}, members: [], size: 1, membership: "unknown", seen: { problems: ["x"] } });
    assert.equal(verdictIn(statusOf(seen), "Available"), "False InvalidSpec");
  });

  test("tells who is not healthy, and why", () => {
    const members = [healthy("a"), unknown("b", { pod: { trouble: "no node fits" } }), unknown("c")];
    const { message } = conditionIn(statusOf(anObservation({ members })), "Available");
    assert.equal(message, "1 of 3 voting members is healthy; not b (no node fits), c (not reached)");
  });
});
