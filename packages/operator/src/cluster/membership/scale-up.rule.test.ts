import assert from "node:assert/strict";
import {
  anObservation,
  CLUSTER_ID,
  healthy,
  leader,
  type MemberGiven,
  unhealthy,
  unknown,
} from "@etcd-operator/testing/cluster/an-observation.ts";
import { describe, test } from "vitest";
import { plan } from "../plan.ts";

const declared = {
  clusterID: CLUSTER_ID,
  incarnation: 3,
  memberIntents: [{ name: "n", incarnation: 3, purpose: "Join" as const }],
};
const up = (size: number, ...members: MemberGiven[]) => plan(anObservation({ size, members }));

describe("scale-up", () => {
  test("declares the next member before it does anything for it", () => {
    const action = up(3, leader("a"));
    assert.equal(action.kind, "declare-join");
    assert.equal(action.name, "new-1");
  });

  test("adds a declared member as a learner, which cannot cost quorum", () => {
    const action = plan(anObservation({ size: 3, members: [leader("a")], status: declared }));
    assert.equal(action.kind, "add-member");
    assert.deepEqual([action.name, action.asLearner, action.version], ["n", true, "3.5.30"]);
  });

  test("adds a voter where etcd knows no learners, also the second one", () => {
    const action = plan(anObservation({ size: 3, members: [leader("a")], status: declared, version: "3.3.25" }));
    assert.equal(action.kind, "add-member");
    assert.equal(action.asLearner, false);
  });

  test("adds what the others run, not what the spec asks for: a roll is a step of its own", () => {
    const status = { ...declared, currentVersion: "3.5.16" };
    const action = plan(anObservation({ size: 3, members: [leader("a")], status }));
    assert.equal(action.kind === "add-member" && action.version, "3.5.16");
  });
});

describe("scale-up waits", () => {
  test("while another member is being added", () => {
    for (const listed of ["learner", "unstarted-learner", "unstarted-voter"] as const) {
      const memberIntents = [{ name: "b", incarnation: 1, purpose: "Join" as const }];
      const status = { clusterID: CLUSTER_ID, incarnation: 1, memberIntents };
      const members = [leader("a"), healthy("c"), unknown("b", { listed })];
      assert.equal(plan(anObservation({ size: 5, members, status })).kind, "hold");
    }
  });

  test("while a voter is not healthy: etcd would refuse, and a new voter would be one more to lose", () => {
    assert.equal(up(5, leader("a"), healthy("b"), unknown("c")).kind, "hold");
    assert.equal(up(5, leader("a"), healthy("b"), unhealthy("c")).kind, "hold");
  });
});

test("scale-up waits for a voter that is about to restart: without learners it would be two that are missing", () => {
  const members = [leader("a"), healthy("b", { pod: { awaitsNewImage: true } }), healthy("c")];
  for (const version of ["3.3.25", "3.5.30"]) {
    const action = plan(anObservation({ size: 4, members, version, status: declared }));
    assert.match(action.message, /a member can be added when b has restarted/);
  }
});
