import assert from "node:assert/strict";
import { anObservation, gone, leader, unhealthy, unknown } from "@etcd-operator/testing/cluster/an-observation.ts";
import { describe, test } from "vitest";
import { plan } from "../plan.ts";

const longAgo = "2029-01-01T00:00:00Z";
const notes = (...names: string[]) =>
  names.map((name) => ({ name, id: name, role: "Unknown", health: "Unknown", notHealthySince: longAgo }) as const);

describe("without a majority nothing is removed and nobody is added", () => {
  test("when two of three are gone for good", () => {
    const action = plan(anObservation({ members: [unhealthy("a"), gone("b"), gone("c")], membership: "unconfirmed" }));
    assert.equal(action.kind, "hold");
    assert.equal(
      action.message,
      "No majority can be seen: 0 of 3 voters answer, not a, b, c. Nothing is changed until there is one",
    );
  });

  test("however long it lasts", () => {
    const status = { clusterID: "c1", incarnation: 1, memberStatus: notes("a", "b", "c") };
    const members = [unhealthy("a"), unknown("b"), unknown("c")];
    for (const membership of ["unconfirmed", "unknown"] as const) {
      assert.equal(plan(anObservation({ members, membership, status })).reason, "NoQuorum");
    }
  });

  test("when all members lost their data: a new cluster is nobody's decision but the user's", () => {
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
