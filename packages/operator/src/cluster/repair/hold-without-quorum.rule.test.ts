import assert from "node:assert/strict";
import { anObservation, gone, leader, unhealthy, unknown } from "@etcd-operator/testing/cluster/an-observation.ts";
import { describe, test } from "vitest";
import { plan } from "../plan.ts";

const longAgo = "2029-01-01T00:00:00Z";
const notes = (...names: string[]) =>
  names.map((name) => ({ name, id: name, role: "Unknown", health: "Unknown", notHealthySince: longAgo }) as const);

describe("without a majority no member is removed or added", () => {
  test("when two of three are gone for good", () => {
    const action = plan(anObservation({ members: [unhealthy("a"), gone("b"), gone("c")], membership: "unconfirmed" }));
    assert.equal(action.kind, "hold");
    assert.equal(
      action.message,
      "Quorum not observed: 0 of 3 voters respond, not a, b, c. Members are not changed until it is",
    );
  });

  test("however long it lasts", () => {
    const status = { clusterID: "c1", incarnation: 1, memberStatus: notes("a", "b", "c") };
    const members = [unhealthy("a"), unknown("b"), unknown("c")];
    for (const membership of ["unconfirmed", "unknown"] as const) {
      assert.equal(plan(anObservation({ members, membership, status })).reason, "NoQuorum");
    }
  });

  test("when all members lost their data: a new cluster is only the user's decision", () => {
    const status = { clusterID: "c1", incarnation: 1, memberStatus: notes("a") };
    const action = plan(anObservation({ members: [gone("a", { listed: false })], membership: "unknown", status }));
    assert.equal(action.reason, "NoQuorum");
  });

  test("when the list is confirmed, but we do not see the majority that confirmed it", () => {
    assert.equal(
      plan(anObservation({ members: [leader("a"), unknown("b"), unknown("c")], size: 5 })).reason,
      "NoQuorum",
    );
  });
});
